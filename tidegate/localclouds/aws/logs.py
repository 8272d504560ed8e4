"""CloudWatch Logs: the log group."""

from __future__ import annotations

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.store import Record


class LogGroup(ApiType):
    """`aws.cloudwatch.LogGroup`. Retention 0 means that events never expire."""

    service = "logs"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the group, then set its retention."""
        client, name = self.client(call, inputs), choose_name(inputs, "name")
        arguments = {
            "logGroupName": name,
            "kmsKeyId": inputs.get("kmsKeyId"),
            "tags": tags_of(inputs) or None,
            "logGroupClass": inputs.get("logGroupClass"),
        }
        client.create_log_group(**{key: value for key, value in arguments.items() if value})
        if inputs.get("retentionInDays"):
            self._set_retention(inputs, name, call)
        defaults = {"logGroupClass": inputs.get("logGroupClass", "STANDARD")}
        arn = f"{self._arn_prefix(call, inputs)}:log-group:{name}"
        return Created(
            name,
            {
                "name": name,
                "arn": arn,
                "retentionInDays": inputs.get("retentionInDays", 0),
                "skipDestroy": inputs.get("skipDestroy", False),
                **defaults,
            },
        )

    def _set_retention(self, inputs: Values, name: str, call: Call) -> None:
        days, client = inputs.get("retentionInDays"), self.client(call, inputs)
        if days:
            client.put_retention_policy(logGroupName=name, retentionInDays=days)
        else:
            client.delete_retention_policy(logGroupName=name)

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the group as it is live."""
        client = self.client(call, record.inputs)
        found = client.describe_log_groups(logGroupNamePrefix=record.id)["logGroups"]
        group = next((group for group in found if group["logGroupName"] == record.id), None)
        if group is None:
            return None
        tags = client.list_tags_log_group(logGroupName=record.id)["tags"]
        return {
            **record.outputs,
            "name": record.id,
            "retentionInDays": group.get("retentionInDays", 0),
            "kmsKeyId": group.get("kmsKeyId"),
            **split_live_tags(tags, record.inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change retention, key and tags."""
        client = self.client(call, new)
        if old.get("kmsKeyId") != new.get("kmsKeyId"):
            if new.get("kmsKeyId"):
                client.associate_kms_key(logGroupName=record.id, kmsKeyId=new["kmsKeyId"])
            else:
                client.disassociate_kms_key(logGroupName=record.id)
        if old.get("retentionInDays") != new.get("retentionInDays"):
            self._set_retention(new, record.id, call)
        live = client.list_tags_log_group(logGroupName=record.id)["tags"]
        change = compare_tags(live, tags_of(new))
        if change.removed:
            client.untag_log_group(logGroupName=record.id, tags=change.removed)
        if change.added:
            client.tag_log_group(logGroupName=record.id, tags=change.added)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the group, unless it is to be kept."""
        if record.inputs.get("skipDestroy"):
            return
        with self.ignore_missing():
            self.client(call, record.inputs).delete_log_group(logGroupName=record.id)

    def adopt(self, id: str, call: Call) -> Values | None:
        """Import a group by its name."""
        found = self.client(call, {}).describe_log_groups(logGroupNamePrefix=id)["logGroups"]
        return {"name": id} if any(group["logGroupName"] == id for group in found) else None

    def _arn_prefix(self, call: Call, inputs: Values) -> str:
        return self.arn(call, inputs, "logs")
