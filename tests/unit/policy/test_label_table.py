"""The table against the installed SDKs: every row names what the type really has."""

from __future__ import annotations

import importlib
import inspect
import warnings

import pytest

from tidegate.policy.label_table import LABEL_TABLE, Shape

# These take a property of that name which labels nothing; the table says so on purpose.
SELECTORS_AND_UNBILLED = {
    "aws:devopsguru/resourceCollection:ResourceCollection",
    "aws:inspector/resourceGroup:ResourceGroup",
    "gcp:monitoring/notificationChannel:NotificationChannel",
}
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


@pytest.mark.parametrize("token", sorted(LABEL_TABLE.keys() - NAMES_OF_EARLIER_VERSIONS))
def test_the_type_exists_and_has_its_carriers(token):
    names = arguments(token)
    heads = {
        snake(carrier.property.partition(".")[0].removesuffix("[]"))
        for carrier in LABEL_TABLE[token]
    }
    assert heads <= names
    if not LABEL_TABLE[token] and token not in SELECTORS_AND_UNBILLED:
        assert not names & {"tags", "labels", "resource_labels"}


@pytest.mark.parametrize(
    "token", sorted(token for token, carriers in LABEL_TABLE.items() if token[:4] == "aws:")
)
def test_defaults_reach_exactly_what_has_a_merged_map(token):
    carriers = [each for each in LABEL_TABLE[token] if each.property == "tags"]
    merged = isinstance(getattr(load_class(token), "tags_all", None), property)
    assert any(each.inherits for each in carriers) == merged
    assert all(each.shape is Shape.MAP for each in carriers) == (
        token != "aws:autoscaling/group:Group"
    )


@pytest.mark.parametrize(
    "token", sorted(token for token, carriers in LABEL_TABLE.items() if token[:4] == "gcp:")
)
def test_google_types_are_billed_by_label_exactly_where_labels_are_effective(token):
    effective = isinstance(getattr(load_class(token), "effective_labels", None), property)
    assert any(each.inherits for each in LABEL_TABLE[token]) == effective
