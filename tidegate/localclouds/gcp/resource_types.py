"""`gcp:compute`, `gcp:storage`, `gcp:logging` and `gcp:serviceaccount` types for the engine."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, CheckFailure, CloudError, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.accounts import ACCOUNT_ID, ACCOUNT_ID_RULE, Accounts
from tidegate.localclouds.gcp.compute import NETWORK, RESERVATION, SUBNETWORK, Compute
from tidegate.localclouds.gcp.compute_rules import (
    check_network,
    check_reservation,
    check_subnetwork,
)
from tidegate.localclouds.gcp.errors import missing
from tidegate.localclouds.gcp.google_type import GoogleType, is_same_case, is_same_resource
from tidegate.localclouds.gcp.logs import (
    BUCKET_ID,
    BUILT_IN,
    EXCLUSION_NAME,
    Logs,
    check_log_bucket,
)
from tidegate.localclouds.gcp.resource_shape import (
    BUCKET,
    LOG_BUCKET,
    LOG_EXCLUSION,
    SERVICE_ACCOUNT,
)
from tidegate.localclouds.gcp.resource_shape import (
    NETWORK as NETWORK_SHAPE,
)
from tidegate.localclouds.gcp.resource_shape import (
    RESERVATION as RESERVATION_SHAPE,
)
from tidegate.localclouds.gcp.resource_shape import (
    SUBNETWORK as SUBNETWORK_SHAPE,
)
from tidegate.localclouds.gcp.storage import Buckets, check_bucket


class ComputeType(GoogleType):
    """A Compute type that is kept as it was given."""

    kind: str

    def __init__(self, compute: Compute) -> None:
        self._compute = compute

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._compute.insert(self.kind, name, body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._compute.get(self.kind, name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._compute.replace(self.kind, name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._compute.delete(self.kind, name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return the project."""
        return {"project": name.split("/")[1]}


class ReservationType(ComputeType):
    """`gcp:compute/reservation:Reservation`."""

    kind = RESERVATION
    shape = RESERVATION_SHAPE

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/zones/z/reservations/r"."""
        project = names.project_of(inputs, call.settings)
        zone = names.last_part(inputs["zone"])
        return f"projects/{project}/zones/{zone}/reservations/{inputs['name']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        zone = inputs.get("zone")
        yield from check_reservation(body, names.last_part(zone) if isinstance(zone, str) else "")

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it with its machines."""
        return self._compute.insert_reservation(name, body)

    def save(self, name: str, body: Body) -> Body:
        """Keep it; the machines it holds follow the count that was asked for."""
        body["specificReservation"]["assuredCount"] = body["specificReservation"]["count"]
        return super().save(name, body)


class NetworkType(ComputeType):
    """`gcp:compute/network:Network`."""

    kind = NETWORK
    shape = NETWORK_SHAPE

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/global/networks/n"."""
        return (
            f"projects/{names.project_of(inputs, call.settings)}/global/networks/{inputs['name']}"
        )

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        yield from check_network(body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it unless a subnetwork still stands in it."""
        project = name.split("/")[1]
        for subnetwork in self._compute.shelf.find(SUBNETWORK, f"projects/{project}/"):
            if names.last_part(subnetwork["network"]) == names.last_part(name):
                raise CloudError(
                    "resourceInUseByAnotherResource",
                    f"The network resource '{name}' is already being used by "
                    f"'{names.relative_name(subnetwork['selfLink'])}'",
                )
        super().remove(name, inputs)


class SubnetworkType(ComputeType):
    """`gcp:compute/subnetwork:Subnetwork`."""

    kind = SUBNETWORK
    shape = SUBNETWORK_SHAPE
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = {
        "network": is_same_resource
    }

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/regions/r/subnetworks/s"."""
        project = names.project_of(inputs, call.settings)
        region = names.last_part(inputs.get("region") or names.region_setting(call.settings))
        return f"projects/{project}/regions/{region}/subnetworks/{inputs['name']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        yield from check_subnetwork(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it in a network that exists."""
        project, region = name.split("/")[1], name.split("/")[3]
        network = f"projects/{project}/global/networks/{names.last_part(body['network'])}"
        if not self._compute.network_exists(network):
            raise missing(f"The resource '{network}' was not found")
        body["network"] = f"{names.COMPUTE_URL}/{network}"
        body["region"] = f"{names.COMPUTE_URL}/projects/{project}/regions/{region}"
        body.setdefault("purpose", "PRIVATE")
        body.setdefault("stackType", "IPV4_ONLY")
        return super().insert(name, body, inputs, call)

    def save(self, name: str, body: Body) -> Body:
        """Keep it under its own network's URL."""
        project = name.split("/")[1]
        network = names.last_part(body["network"])
        body["network"] = f"{names.COMPUTE_URL}/projects/{project}/global/networks/{network}"
        return super().save(name, body)


class BucketType(GoogleType):
    """`gcp:storage/bucket:Bucket`."""

    shape = BUCKET
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = {"location": is_same_case}

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    def place(self, inputs: Values, call: Call) -> str:
        """Return the bucket's name."""
        return str(inputs["name"])

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Cloud Storage refuses."""
        yield from check_bucket(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._buckets.insert(names.project_of(inputs, call.settings), body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._buckets.get(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._buckets.put(name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._buckets.delete(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return its project and URL."""
        return {"project": body["project"], "url": f"gs://{name}"}


class LogBucketType(GoogleType):
    """`gcp:logging/projectBucketConfig:ProjectBucketConfig`."""

    shape = LOG_BUCKET

    def __init__(self, logs: Logs) -> None:
        self._logs = logs

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/locations/l/buckets/b"."""
        project = str(inputs["project"]).removeprefix("projects/")
        return f"projects/{project}/locations/{inputs['location']}/buckets/{inputs['bucketId']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Logging refuses."""
        bucket_id = inputs.get("bucketId")
        if isinstance(bucket_id, str) and not BUCKET_ID.fullmatch(bucket_id):
            yield CheckFailure(
                "bucketId",
                f"Invalid bucket id '{bucket_id}': at most 100 letters, digits, dashes, "
                "underscores and periods.",
            )
        yield from check_log_bucket(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it; what the project has from the start is taken over and changed."""
        if names.last_part(name) in BUILT_IN:
            return self._logs.change_bucket(name, {**self._logs.get_bucket(name), **body})
        return self._logs.create_bucket(name, body)

    def load(self, name: str) -> Body:
        """Return it; one that waits for its deletion is gone for the engine."""
        bucket = self._logs.get_bucket(name)
        if bucket["lifecycleState"] != "ACTIVE":
            raise missing(f"Bucket `{names.last_part(name)}` is being deleted.")
        return bucket

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._logs.change_bucket(name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Mark it for deletion; what the project has from the start stays as it is."""
        if names.last_part(name) not in BUILT_IN:
            self.load(name)
            self._logs.delete_bucket(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return where it is."""
        _, project, _, location, _, bucket = name.split("/")
        given = inputs.get("project")
        return {"project": given or project, "location": location, "bucketId": bucket}


class LogExclusionType(GoogleType):
    """`gcp:logging/projectExclusion:ProjectExclusion`."""

    shape = LOG_EXCLUSION

    def __init__(self, logs: Logs) -> None:
        self._logs = logs

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/exclusions/e"."""
        return f"projects/{names.project_of(inputs, call.settings)}/exclusions/{inputs['name']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Logging refuses."""
        name = body.get("name")
        if isinstance(name, str) and not EXCLUSION_NAME.fullmatch(name):
            yield CheckFailure(
                "name",
                f"Invalid exclusion name '{name}': at most 100 letters, digits, dashes, "
                "underscores and periods, starting with a letter or digit.",
            )

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._logs.put_exclusion(name, body, new=True)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._logs.get_exclusion(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._logs.put_exclusion(name, body, new=False)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._logs.delete_exclusion(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return its project."""
        return {"project": name.split("/")[1]}


class ServiceAccountType(GoogleType):
    """`gcp:serviceaccount/account:Account`."""

    shape = SERVICE_ACCOUNT

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/serviceAccounts/e"."""
        project = names.project_of(inputs, call.settings)
        email = f"{inputs['accountId']}@{project}.iam.gserviceaccount.com"
        return f"projects/{project}/serviceAccounts/{email}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what IAM refuses."""
        account_id = inputs.get("accountId")
        if isinstance(account_id, str) and not ACCOUNT_ID.fullmatch(account_id):
            yield CheckFailure(
                "accountId", f"Invalid account id '{account_id}': {ACCOUNT_ID_RULE}."
            )

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it, or take over the one that exists where that was asked for."""
        if inputs.get("createIgnoreAlreadyExists") is True:
            with suppress(CloudError):
                return self._accounts.put(name, {**self._accounts.get(name), **body})
        project = name.split("/")[1]
        return self._accounts.create(project, str(inputs["accountId"]), body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._accounts.get(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._accounts.put(name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._accounts.delete(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return its id, project and name in access policies."""
        email = str(body["email"])
        return {
            "accountId": email.split("@")[0],
            "project": body["projectId"],
            "member": f"serviceAccount:{email}",
        }
