"""Who leads, by a Lease of Kubernetes: one object, and a count of its transitions that only grows.

No clock of two machines is compared: `renewTime` is written for people, and a candidate looks at
nothing but whether the object changed, by its own monotonic clock (docs/adr/0016).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from kubernetes.client.api_client import ApiClient
from kubernetes.client.exceptions import ApiException

from tidegate.sources.objects import (
    FAULTS,
    Body,
    explain_fault,
    post_object,
    read_object,
    replace_object,
)
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.records import LeaseLost
from tidegate.vocabulary.silence import PATIENCE_SECONDS, Watch

KIND = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
ATTEMPTS = 3
"""A renewal that somebody else's edit of the object got in the way of is tried anew."""


class KubernetesLease:
    """The lead, as one process sees it. The token is the object's count of transitions."""

    def __init__(
        self,
        api: ApiClient,
        namespace: str,
        name: str,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._api = api
        self._name, self._namespace = name, namespace
        self._folder = f"/apis/coordination.k8s.io/v1/namespaces/{quote(namespace)}/leases"
        self._patience = patience_seconds
        self._holder = ""
        self._watch = Watch(patience_seconds)

    def take(self, holder: str, monotonic: float, floor: int) -> int | None:
        """Take, keep or renew the lead.

        Args:
            holder: Who asks; unique among all.
            monotonic: Seconds by this machine's own clock.
            floor: The highest token that is known to have been given; a new one is above it.

        Returns:
            The token; None while another holds the lead, or was quicker.

        Raises:
            Unavailable: The cluster does not answer, or does not allow it.
        """
        self._holder = holder
        with self._answering():
            found = self._read()
            if found is None:
                return self._create(floor + 1)
            spec = found["spec"]
            held_by, token = spec.get("holderIdentity") or "", _token(spec)
            if held_by not in ("", holder) and not self._watch.is_silent(spec, monotonic):
                return None
            if held_by != holder:
                token = max(token, floor) + 1
            return token if self._write(found, holder, token) else None

    def renew(self, token: int) -> None:
        """Show a sign of life.

        Raises:
            LeaseLost: Another holds the lead, or it was given back.
            Unavailable: The cluster does not answer.
        """
        with self._answering():
            for _ in range(ATTEMPTS):
                if self._write(self._require(token), self._holder, token):
                    return
        raise Unavailable(f"{self._describe()} is changed by others all the time")

    def release(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already.

        Raises:
            Unavailable: The cluster does not answer.
        """
        with self._answering():
            try:
                self._write(self._require(token), "", token)
            except LeaseLost:
                return

    def check(self, token: int) -> None:
        """Look whether the token is the current one.

        Raises:
            LeaseLost: It is not.
            Unavailable: The cluster does not answer.
        """
        with self._answering():
            self._require(token)

    def _require(self, token: int) -> Body:
        found = self._read()
        spec = found["spec"] if found else {}
        if found is None or spec.get("holderIdentity") != self._holder or _token(spec) != token:
            raise LeaseLost(f"token {token} of {self._describe()} leads no more")
        return found

    def _read(self) -> Body | None:
        try:
            found = read_object(self._api, f"{self._folder}/{quote(self._name)}")
        except ApiException as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return None
        return {**found, "spec": found.get("spec") or {}}

    def _create(self, token: int) -> int | None:
        metadata = {"name": self._name, "namespace": self._namespace}
        spec = self._build_spec(self._holder, token)
        spec["acquireTime"] = spec["renewTime"]
        try:
            post_object(self._api, self._folder, {**KIND, "metadata": metadata, "spec": spec})
        except ApiException as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            return None
        return token

    def _write(self, found: Body, holder: str, token: int) -> bool:
        """Replace the object if it is still what was read; return whether it was."""
        spec = {**found["spec"], **self._build_spec(holder, token)}
        if token != _token(found["spec"]):
            spec["acquireTime"] = spec["renewTime"]
        path = f"{self._folder}/{quote(self._name)}"
        try:
            # The object carries its resourceVersion, and the server compares it.
            replace_object(self._api, path, {**KIND, **found, "spec": spec})
        except ApiException as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            return False
        return True

    def _build_spec(self, holder: str, token: int) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        return {
            "holderIdentity": holder,
            "leaseTransitions": token,
            "leaseDurationSeconds": round(self._patience),
            "renewTime": now.replace("+00:00", "Z"),
        }

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except FAULTS as error:
            text = f"{self._describe()}: its cluster {explain_fault(error, 'Lease')}"
            raise Unavailable(text) from error

    def _describe(self) -> str:
        return f"lease {self._namespace}/{self._name}"


def _token(spec: Mapping[str, Any]) -> int:
    return int(spec.get("leaseTransitions") or 0)
