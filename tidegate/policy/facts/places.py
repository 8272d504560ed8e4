"""Where a resource stands: its region, spelt as its cloud's catalog spells it."""

from __future__ import annotations

import re

from tidegate.policy.facts.reading import Fact, absent, hidden, known, read, read_first
from tidegate.policy.graph import Resource
from tidegate.vocabulary.capacity import Cloud

_PATHS = {
    Cloud.AWS: ("region", "availabilityZone"),
    Cloud.GCP: ("region", "location", "zone"),
    Cloud.AZURE: ("location",),
}
_PROVIDER = {Cloud.AWS: "region", Cloud.GCP: "region", Cloud.AZURE: "location"}
_AWS_ZONE = re.compile(r"([a-z]{2}(?:-[a-z]+)+-\d)[a-z]")
_GCP_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-[a-z]")


def build_region(resource: Resource) -> Fact:
    """Return a resource's region; that of its provider where it names none itself."""
    cloud = resource.cloud
    if cloud is None:
        return absent("")
    fact = read_first(resource.properties, _PATHS[cloud])
    if fact["state"] == "absent" and resource.provider is not None:
        inherited = read(resource.provider.properties, _PROVIDER[cloud])
        fact = {**inherited, "property": fact["property"]}
    if fact["state"] != "known":
        return fact
    if not isinstance(fact["value"], str):
        return hidden(fact["property"])
    return known(spell_region(cloud, fact["value"]), fact["property"])


def spell_region(cloud: Cloud, place: str) -> str:
    """Return the region of a place: "US-CENTRAL1-A" → "us-central1", "East US" → "eastus"."""
    text = place.strip().rpartition("/")[2].lower()
    if cloud is Cloud.AZURE:
        return text.replace(" ", "")
    zone = (_AWS_ZONE if cloud is Cloud.AWS else _GCP_ZONE).fullmatch(text)
    return zone.group(1) if zone else text
