"""The lead as a Lease of a real API server: optimistic writes, tokens that only grow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from kubernetes import client
from support.control_plane import Cluster, run_clusters
from support.postgres import open_emptied, run_postgres

from tidegate.sources.lease import KubernetesLease
from tidegate.state.database import open_database
from tidegate.state.elected import ElectedStore
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.records import DecisionRecord, LeaseLost

pytestmark = pytest.mark.slow

SPACE, NAME = "default", "tidegate"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with run_clusters(tmp_path_factory.mktemp("clusters"), ["ml"]) as clusters:
        yield clusters["ml"]


@pytest.fixture
def leases(cluster: Cluster) -> Iterator[client.CoordinationV1Api]:
    api = client.CoordinationV1Api(cluster.api)
    yield api
    api.delete_collection_namespaced_lease(SPACE)


@pytest.fixture
def contend(cluster: Cluster, leases):
    """Return what makes one more process that asks for the lead."""
    return lambda: KubernetesLease(cluster.api, SPACE, NAME)


def read(leases):
    return leases.read_namespaced_lease(NAME, SPACE).spec


def take_together(every, second):
    """Let each ask for the lead in a thread of its own, all at once; return what they got."""
    found: list[int | None] = []
    together = threading.Barrier(len(every))

    def ask(number, lease):
        together.wait()
        found.append(lease.take(str(number), second, 0))

    threads = [threading.Thread(target=ask, args=each) for each in enumerate(every)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_the_first_one_leads_and_writes_down_who_it_is(contend, leases):
    one = contend()

    assert one.take("one", 0.0, 0) == 1
    one.check(1)

    spec = read(leases)
    assert (spec.holder_identity, spec.lease_transitions) == ("one", 1)
    assert spec.lease_duration_seconds == 10
    assert spec.renew_time == spec.acquire_time


def test_a_holder_keeps_the_lead_and_its_token(contend):
    one = contend()

    assert [one.take("one", second, 0) for second in (0.0, 5.0, 60.0)] == [1, 1, 1]


def test_another_takes_over_only_after_silence_and_with_a_higher_token(contend):
    one, two = contend(), contend()
    one.take("one", 0.0, 0)

    assert two.take("two", 0.0, 0) is None
    one.renew(1)
    assert two.take("two", 9.0, 0) is None
    assert two.take("two", 18.9, 0) is None
    assert two.take("two", 19.0, 0) == 2
    assert one.take("one", 20.0, 0) is None
    for fenced in (one.check, one.renew):
        with pytest.raises(LeaseLost, match="token 1 of lease default/tidegate leads no more"):
            fenced(1)


def test_no_clock_of_another_machine_is_believed(contend, leases):
    one, two = contend(), contend()
    one.take("one", 0.0, 0)
    past = {"spec": {"renewTime": "2001-01-01T00:00:00.000000Z"}}
    leases.patch_namespaced_lease(NAME, SPACE, past)

    assert two.take("two", 0.0, 0) is None
    assert two.take("two", 9.9, 0) is None


def test_a_lead_that_was_given_back_is_free_at_once(contend, leases):
    one, two = contend(), contend()
    one.take("one", 0.0, 0)
    one.release(1)

    assert not read(leases).holder_identity
    assert two.take("two", 0.0, 0) == 2
    one.release(1)
    two.check(2)


def test_of_many_that_start_at_once_one_leads(contend):
    found = take_together([contend() for _ in range(8)], 0.0)

    assert sorted(map(str, found)) == ["1", *["None"] * 7]


def test_of_many_that_see_one_silent_holder_one_takes_over(contend):
    contend().take("gone", 0.0, 0)
    every = [contend() for _ in range(6)]
    for number, lease in enumerate(every):
        assert lease.take(str(number), 0.0, 0) is None

    found = take_together(every, 10.0)

    assert sorted(map(str, found)) == ["2", *["None"] * 5]


def test_a_label_that_somebody_adds_meanwhile_costs_nobody_the_lead(contend, leases):
    one = contend()
    one.take("one", 0.0, 0)
    leases.patch_namespaced_lease(NAME, SPACE, {"metadata": {"labels": {"team": "ml"}}})

    one.renew(1)

    assert one.take("one", 0.0, 0) == 1
    assert leases.read_namespaced_lease(NAME, SPACE).metadata.labels == {"team": "ml"}


def test_a_lease_that_was_deleted_begins_above_the_tokens_that_were_given(contend, leases):
    one, two = contend(), contend()
    one.take("one", 0.0, 6)
    leases.delete_namespaced_lease(NAME, SPACE)

    with pytest.raises(LeaseLost):
        one.check(7)
    assert two.take("two", 0.0, 7) == 8


def test_a_cluster_that_does_not_allow_it_says_so(cluster):
    lease = KubernetesLease(cluster.api, "no-such-namespace", NAME)

    with pytest.raises(Unavailable, match=r"lease no-such-namespace/tidegate: .* 404 Not Found"):
        lease.take("one", 0.0, 0)


RECORD = DecisionRecord(datetime(2026, 11, 30, tzinfo=UTC), "train", "grow", "work waits")


@pytest.fixture(scope="module")
def postgres():
    with run_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'state.db'}"
    else:
        url = request.getfixturevalue("postgres")
    with open_emptied(url) as engine:
        yield engine


def test_what_is_written_is_fenced_by_the_leases_token(contend, database):
    one, two = ElectedStore(database, contend()), ElectedStore(database, contend())
    first = one.take_lease("one", 0.0)
    one.record_intents(first, [RECORD])
    two.take_lease("two", 0.0)
    second = two.take_lease("two", 10.0)

    assert (first, second, two.read_leader()) == (1, 2, "two")
    for write in (one.check_lease, one.renew_lease, lambda t: one.record_intents(t, [RECORD])):
        with pytest.raises(LeaseLost):
            write(first)
    two.record_intents(second, [RECORD])
    assert len(two.read_decisions("train", 9)) == 2


def test_controllers_with_a_database_each_have_one_leader(contend, database, tmp_path):
    other = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    one, two = ElectedStore(database, contend()), ElectedStore(other, contend())
    first = one.take_lease("one", 0.0)

    assert two.take_lease("two", 0.0) is None
    assert two.take_lease("two", 10.0) == first + 1
    with pytest.raises(LeaseLost):
        one.check_lease(first)
    other.dispose()


def test_a_database_that_led_by_itself_goes_on_with_higher_tokens(contend, database):
    old = DatabaseStore(database)
    before = old.take_lease("old", 0.0)
    led = ElectedStore(database, contend())

    token = led.take_lease("new", 0.0)

    assert token == before + 1
    with pytest.raises(LeaseLost):
        old.check_lease(before)
    led.renew_lease(token)
    assert old.take_lease("old", 0.0) is None


def test_a_lease_below_what_leads_the_database_is_refused(contend, database):
    led = ElectedStore(database, contend())
    token = led.take_lease("led", 0.0)
    alone = DatabaseStore(database, patience_seconds=0)
    alone.take_lease("alone", 0.0)
    assert alone.take_lease("alone", 1.0) == token + 1

    with pytest.raises(LeaseLost, match="give all controllers the same --leader"):
        led.take_lease("led", 2.0)
