"""The lead as a Lease, against a small server; tests/control_plane has the same on a real one."""

from __future__ import annotations

import copy

import pytest
from support.kube_server import KubeServer

from tidegate.sources.lease import KubernetesLease
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.records import LeaseLost


class LeaseServer(KubeServer):
    """Keeps one lease, and takes a write only over the version that it has."""

    lease = None
    version = 0
    refusal = None
    meanwhile = staticmethod(lambda: None)

    def answer(self, method, path, body):
        if self.refusal:
            return self.refusal, {"message": "told to"}
        if method == "GET":
            return (200, copy.deepcopy(self.lease)) if self.lease else (404, {})
        self.meanwhile()
        wanted = body["metadata"].get("resourceVersion")
        if wanted != (self.lease or {"metadata": {}})["metadata"].get("resourceVersion"):
            return 409, {"message": "the object has been modified"}
        self.write(body)
        return 200, self.lease

    def write(self, body):
        self.version += 1
        self.lease = copy.deepcopy(body)
        self.lease["metadata"]["resourceVersion"] = str(self.version)


@pytest.fixture
def server():
    made = LeaseServer()
    yield made
    made.close()


@pytest.fixture
def contend(server):
    with server.api() as api:
        yield lambda: KubernetesLease(api, "ops", "tidegate")


def test_a_lead_is_kept_and_renewed_under_one_token(server, contend):
    one = contend()

    assert [one.take("one", 0.0, 4), one.take("one", 60.0, 4)] == [5, 5]
    one.renew(5)
    one.check(5)

    spec = server.lease["spec"]
    assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("one", 5)
    assert (spec["leaseDurationSeconds"], server.version) == (10, 3)


def test_another_takes_over_after_silence_and_the_first_is_fenced(contend):
    one, two = contend(), contend()
    one.take("one", 0.0, 0)

    assert [two.take("two", second, 0) for second in (100.0, 109.9, 110.0)] == [None, None, 2]
    for fenced in (one.check, one.renew):
        with pytest.raises(LeaseLost, match="lease ops/tidegate leads no more"):
            fenced(1)
    one.release(1)
    two.check(2)
    two.release(2)
    assert one.take("one", 0.0, 0) == 3


def test_who_writes_second_does_not_lead(server, contend):
    one, two = contend(), contend()

    def be_quicker():
        server.meanwhile = lambda: None
        assert two.take("two", 0.0, 0) == 1

    server.meanwhile = be_quicker
    assert one.take("one", 0.0, 0) is None
    two.release(1)
    server.meanwhile = lambda: server.write(server.lease)
    assert one.take("one", 0.0, 0) is None


def test_a_renewal_is_tried_anew_when_somebody_else_edits_the_object(server, contend):
    one = contend()
    one.take("one", 0.0, 0)
    edits = [lambda: server.write(server.lease), lambda: None]
    server.meanwhile = lambda: edits.pop(0)()

    one.renew(1)

    assert edits == []
    server.meanwhile = lambda: server.write(server.lease)
    with pytest.raises(Unavailable, match="changed by others all the time"):
        one.renew(1)


def test_a_cluster_that_refuses_or_is_away_is_no_answer(server, contend):
    lease = contend()
    server.refusal = 403
    with pytest.raises(Unavailable, match=r"lease ops/tidegate: its cluster answers 403"):
        lease.take("one", 0.0, 0)
    server.refusal = None
    server.lease = ["no object"]
    with pytest.raises(Unavailable, match="what is no Lease"):
        lease.take("one", 0.0, 0)
    server.server.shutdown()
    server.server.server_close()

    with pytest.raises(Unavailable, match="does not answer"):
        lease.check(1)
