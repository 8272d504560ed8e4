"""Whether what a resource names exists: one finder for each sort of name.

A finder gets the shelf, the full name of the resource that refers, and the value as the body has
it; it answers what is wrong, in Google's words where they are known, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tidegate.localclouds.gcp import names
from tidegate.localclouds.shelf import Shelf

ACCOUNT = "iam.googleapis.com/ServiceAccount"
BUCKET = "storage.googleapis.com/Bucket"
CHANNEL = "monitoring.googleapis.com/NotificationChannel"
LOG_BUCKET = "logging.googleapis.com/LogBucket"
NETWORK = "compute.googleapis.com/Network"
RESERVATION = "compute.googleapis.com/Reservation"
RESOURCE_POLICY = "compute.googleapis.com/ResourcePolicy"
ROLE = "iam.googleapis.com/Role"
SUBNETWORK = "compute.googleapis.com/Subnetwork"
SUBSCRIPTION = "pubsub.googleapis.com/Subscription"
TEMPLATE = "compute.googleapis.com/InstanceTemplate"
TOPIC = "pubsub.googleapis.com/Topic"

Finder = Callable[[Shelf, str, str], str]

USER_ACCOUNT = re.compile(r"[^@]+@(?P<project>[a-z][-a-z0-9]+)\.iam\.gserviceaccount\.com")
# Accounts that Google makes for its own services live in projects of its own, whose names begin
# so ("service-1@gcp-sa-logging.iam.gserviceaccount.com"): general vendor documentation, not
# verified.
GOOGLES_OWN = ("gcp-sa-", "cloud-", "compute-system", "container-engine-robot", "serverless-")
PREDEFINED_ROLE = re.compile(r"roles/[A-Za-z][A-Za-z0-9_.]*")
CUSTOM_ROLE = re.compile(r"(projects|organizations)/[^/]+/roles/[A-Za-z0-9_.]{3,64}")
BUILT_IN_LOG_BUCKETS = ("_Default", "_Required")
SINK_SERVICES = ("storage", "pubsub", "bigquery", "logging")


def named(kind: str, words: str) -> Finder:
    """Return a finder for resources that are named in full: "projects/p/topics/t".

    Args:
        kind: The kind that has to be there.
        words: What is said of one that is not, with `{name}`.
    """

    def find(shelf: Shelf, name: str, value: str) -> str:
        del name
        # A template's unique link ends in "?uniqueId=1".
        full = names.relative_name(value).partition("?")[0]
        return "" if shelf.get(kind, full) is not None else words.format(name=full)

    return find


find_topic = named(TOPIC, "Resource not found (resource={name}).")
find_template = named(TEMPLATE, "The resource '{name}' was not found")
find_channel = named(CHANNEL, "Notification channel '{name}' does not exist.")


def find_network(shelf: Shelf, name: str, value: str) -> str:
    """Say that a network does not exist; every project has "default"."""
    full = value if value.startswith("projects/") else names.relative_name(value)
    if "/" not in full:
        full = f"projects/{name.split('/')[1]}/global/networks/{full}"
    if names.last_part(full) == "default":
        return ""
    # Vertex AI names networks by the project's number.
    project, short = full.split("/")[1], names.last_part(full)
    found = any(
        project in (body_name.split("/")[1], names.project_number(body_name.split("/")[1]))
        for body_name, _ in shelf.items(NETWORK)
        if names.last_part(body_name) == short
    )
    return "" if found else f"The resource '{full}' was not found"


def find_subnetwork(shelf: Shelf, name: str, value: str) -> str:
    """Say that a subnetwork does not exist; every region has "default"."""
    full = names.relative_name(value)
    if names.last_part(full) == "default":
        return ""
    if "/" in full:
        found = shelf.get(SUBNETWORK, full) is not None
    else:
        of_project = shelf.items(SUBNETWORK, f"projects/{name.split('/')[1]}/")
        found = any(names.last_part(key) == full for key, _ in of_project)
    return "" if found else f"The resource '{full}' was not found"


def find_resource_policy(shelf: Shelf, name: str, value: str) -> str:
    """Say that a resource policy does not exist, named in full or of the referrer's own region."""
    full = names.relative_name(value)
    if "/" not in full:
        _, project, _, place = name.split("/")[:4]
        region = names.region_of(place)
        full = f"projects/{project}/regions/{region}/resourcePolicies/{full}"
    found = shelf.get(RESOURCE_POLICY, full) is not None
    return "" if found else f"The resource '{full}' was not found"


def find_reservation(shelf: Shelf, name: str, value: str) -> str:
    """Say that no zone of the project has a reservation of this name."""
    short, project = names.last_part(value), name.split("/")[1]
    kept = shelf.items(RESERVATION, f"projects/{project}/zones/")
    if any(names.last_part(key) == short for key, _ in kept):
        return ""
    return f"The resource 'projects/{project}/reservations/{short}' was not found"


def find_account(shelf: Shelf, name: str, value: str) -> str:
    """Say that a service account does not exist; Google's own always do."""
    del name
    email = value.removeprefix("serviceAccount:")
    match = USER_ACCOUNT.fullmatch(email)
    if match is None or match["project"].startswith(GOOGLES_OWN):
        return ""
    full = f"projects/{match['project']}/serviceAccounts/{email}"
    found = shelf.get(ACCOUNT, full) is not None
    return "" if found else f"Service account {email} does not exist."


def find_role(shelf: Shelf, name: str, value: str) -> str:
    """Say that a role does not exist: of Google's own, only that it cannot be one."""
    del name
    if PREDEFINED_ROLE.fullmatch(value):
        return ""
    if not CUSTOM_ROLE.fullmatch(value):
        return (
            f"Role ({value}) is not valid: expected roles/…, projects/…/roles/… or "
            "organizations/…/roles/…."
        )
    role = shelf.get(ROLE, value)
    if value.startswith("organizations/") or (role is not None and not role.get("deleted")):
        return ""
    return f"Role ({value}) does not exist in the resource's hierarchy."


def find_sink_destination(shelf: Shelf, name: str, value: str) -> str:
    """Say that a log sink's destination is none, or does not exist; datasets are not looked for."""
    service, _, target = value.partition(".googleapis.com/")
    if service not in SINK_SERVICES or not target:
        return (
            f"Invalid destination '{value}': expected one of "
            + ", ".join(f"{word}.googleapis.com/…" for word in SINK_SERVICES)
            + "."
        )
    if service == "pubsub":
        return find_topic(shelf, name, target)
    if service == "storage" and shelf.get(BUCKET, target) is None:
        return f"Bucket '{target}' does not exist."
    is_log_bucket = service == "logging" and "/buckets/" in target
    if is_log_bucket and names.last_part(target) not in BUILT_IN_LOG_BUCKETS:
        return named(LOG_BUCKET, "Bucket '{name}' does not exist.")(shelf, name, target)
    return ""
