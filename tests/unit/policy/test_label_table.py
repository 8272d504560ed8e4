"""What is said by hand, against the installed SDKs; the generated rest is held where it is made."""

from __future__ import annotations

import importlib
import inspect
import warnings

import pytest

from tidegate.policy.label_table import EXCEPTIONS, LABEL_TABLE, TAGS, Carrier, Shape

# A property of that name labels nothing that is billed; the table says so on purpose.
UNBILLED = {"gcp:monitoring/notificationChannel:NotificationChannel"}
NAMES_OF_EARLIER_VERSIONS = {"azure-native:insights:DiagnosticSetting"}
PACKAGES = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure-native": "pulumi_azure_native"}


def load_class(token: str) -> type:
    package, path, name = token.split(":")
    module = {"lambda": "lambda_"}.get(path.partition("/")[0], path.partition("/")[0])
    with warnings.catch_warnings():
        # A module warns of its other, deprecated types while it is imported.
        warnings.simplefilter("ignore", DeprecationWarning)
        return getattr(importlib.import_module(f"{PACKAGES[package]}.{module.lower()}"), name)


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def arguments(token: str) -> set[str]:
    return set(inspect.signature(load_class(token)._internal_init).parameters)


@pytest.mark.parametrize("token", sorted(EXCEPTIONS.keys() - NAMES_OF_EARLIER_VERSIONS))
def test_the_type_exists_and_has_its_carriers(token):
    names = arguments(token)
    heads = {
        snake(carrier.property.partition(".")[0].removesuffix("[]"))
        for carrier in EXCEPTIONS[token]
    }
    assert heads <= names
    if not EXCEPTIONS[token] and token not in UNBILLED:
        assert not names & {"tags", "labels", "resource_labels"}


@pytest.mark.parametrize(
    "token", sorted(token for token, carriers in EXCEPTIONS.items() if token[:4] == "aws:")
)
def test_defaults_reach_exactly_what_has_a_merged_map(token):
    carriers = [each for each in EXCEPTIONS[token] if each.property == "tags"]
    merged = isinstance(getattr(load_class(token), "tags_all", None), property)
    assert any(each.inherits for each in carriers) == merged
    assert all(each.shape is Shape.MAP for each in carriers) == (
        token != "aws:autoscaling/group:Group"
    )


@pytest.mark.parametrize(
    "token", sorted(token for token, carriers in EXCEPTIONS.items() if token[:4] == "gcp:")
)
def test_google_types_are_billed_by_label_exactly_where_labels_are_effective(token):
    effective = isinstance(getattr(load_class(token), "effective_labels", None), property)
    assert any(each.inherits for each in EXCEPTIONS[token]) == effective


@pytest.mark.parametrize(
    ("token", "carriers"),
    [
        ("aws:s3/bucket:Bucket", TAGS),
        ("gcp:pubsub/topic:Topic", (Carrier("labels", inherits=True),)),
        ("gcp:container/cluster:Cluster", (Carrier("resourceLabels", inherits=True),)),
        ("azure-native:azurefleet:Fleet", (Carrier("tags"),)),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", ()),
        # A selector, parameters, and tags that carry policy: none of them is a cost label.
        ("aws:inspector/resourceGroup:ResourceGroup", ()),
        ("gcp:monitoring/notificationChannel:NotificationChannel", ()),
        ("gcp:bigtable/instance:Instance", (Carrier("labels", inherits=True),)),
    ],
)
def test_types_are_told_by_the_generated_table(token, carriers):
    assert LABEL_TABLE[token] == carriers


@pytest.mark.parametrize(
    "token",
    ["aws:nothing/nothing:Nothing", "aws:fis/experimentTemplate:ExperimentTemplateOfNobody"],
)
def test_a_type_without_a_row_is_not_known(token):
    assert token not in LABEL_TABLE


def test_what_looks_like_labels_and_was_never_judged_is_not_known():
    assert "gcp:dataplex/entry:Entry" not in LABEL_TABLE
