"""SageMaker: models, endpoint configurations, endpoints, notebook instances, their scripts."""

from __future__ import annotations

from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

TAGS = TagCalls(
    "ListTags", "AddTags", "DeleteTags", "ResourceArn", "Tags", "TagKeys", as_pairs=True
)
SOURCES = {"s3DataSources": "S3DataSource"}
SCRIPTS = ("onCreate", "onStart")


class SageMakerType(ModelledType):
    """A type of the SageMaker API."""

    service = "sagemaker"
    tag_calls = TAGS


class Model(SageMakerType):
    """`aws.sagemaker.Model`."""

    actions = Actions("CreateModel", "DescribeModel", delete="DeleteModel")
    names = Names("ModelName", arn="ModelArn", asked=SOURCES, shown=SOURCES)


class EndpointConfiguration(SageMakerType):
    """`aws.sagemaker.EndpointConfiguration`. A variant without a name gets one."""

    actions = Actions(
        "CreateEndpointConfig", "DescribeEndpointConfig", delete="DeleteEndpointConfig"
    )
    names = Names(
        "EndpointConfigName",
        arn="EndpointConfigArn",
        asked={"kmsKeyArn": "KmsKeyId", "routingConfigs": "RoutingConfig"},
        shown={"kmsKeyArn": "KmsKeyId", "routingConfigs": "RoutingConfig"},
    )

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Name the variants that have no name, as the provider does."""
        arguments = super().arguments(action, inputs, call)
        for member in ("ProductionVariants", "ShadowProductionVariants"):
            for index, variant in enumerate(arguments.get(member, ())):
                variant.setdefault("VariantName", f"{arguments['EndpointConfigName']}-{index}"[:63])
        return arguments


class Endpoint(SageMakerType):
    """`aws.sagemaker.Endpoint`. Its variants' sizes are the scaling target's, not its own."""

    actions = Actions("CreateEndpoint", "DescribeEndpoint", "UpdateEndpoint", "DeleteEndpoint")
    names = Names(
        "EndpointName", arn="EndpointArn", shown={"deploymentConfig": "LastDeploymentConfig"}
    )


class NotebookInstance(SageMakerType):
    """`aws.sagemaker.NotebookInstance`. It is stopped while it changes, and before it goes."""

    actions = Actions(
        "CreateNotebookInstance",
        "DescribeNotebookInstance",
        "UpdateNotebookInstance",
        "DeleteNotebookInstance",
    )
    names = Names(
        "NotebookInstanceName",
        arn="NotebookInstanceArn",
        asked={"volumeSize": "VolumeSizeInGB", "securityGroups": "SecurityGroupIds"},
        shown={
            "volumeSize": "VolumeSizeInGB",
            "lifecycleConfigName": "NotebookInstanceLifecycleConfigName",
        },
        computed={"url": "Url", "networkInterfaceId": "NetworkInterfaceId"},
    )

    def change(self, record: Record, old: Values, new: Values, call: Call) -> None:
        """Stop it, change it, start it again."""
        drops = old.get("lifecycleConfigName") and not new.get("lifecycleConfigName")
        was_running = self._stop(record, new, call)
        super().change(record, old, new, call)
        key = self.key_of(record.id)
        if drops:
            arguments = {**key, "DisassociateLifecycleConfig": True}
            self.ask("UpdateNotebookInstance", call, new, arguments)
        if was_running:
            self.ask("StartNotebookInstance", call, new, key)

    def _stop(self, record: Record, inputs: Values, call: Call) -> bool:
        """Stop it, and return whether it ran."""
        shown = self.fetch(record.id, inputs, call)
        runs = bool(shown["NotebookInstanceStatus"] == "InService")
        if runs:
            self.ask("StopNotebookInstance", call, inputs, self.key_of(record.id))
        return runs

    def delete(self, record: Record, call: Call) -> None:
        """Stop it, then delete it."""
        try:
            self._stop(record, record.inputs, call)
        except NotFoundError:
            return
        super().delete(record, call)


class NotebookLifecycle(SageMakerType):
    """`aws.sagemaker.NotebookInstanceLifecycleConfiguration`: scripts, encoded in base64."""

    actions = Actions(
        "CreateNotebookInstanceLifecycleConfig",
        "DescribeNotebookInstanceLifecycleConfig",
        "UpdateNotebookInstanceLifecycleConfig",
        "DeleteNotebookInstanceLifecycleConfig",
    )
    names = Names("NotebookInstanceLifecycleConfigName", arn="NotebookInstanceLifecycleConfigArn")

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Give each script as the one hook of its kind; one that is left out goes."""
        hooks = {f"O{name[1:]}": inputs.get(name) for name in SCRIPTS}
        plain = {key: value for key, value in inputs.items() if key not in SCRIPTS}
        given = {name: [{"Content": text}] if text else [] for name, text in hooks.items()}
        return {**super().arguments(action, plain, call), **given}

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return each hook's script."""
        hooks = {name: answer.get(f"O{name[1:]}") or [] for name in SCRIPTS}
        plain = {key: value for key, value in answer.items() if not key.startswith("On")}
        scripts = {name: parts[0]["Content"] if parts else None for name, parts in hooks.items()}
        return {**super().outputs(plain, inputs, call), **scripts}
