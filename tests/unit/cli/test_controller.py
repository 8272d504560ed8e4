from __future__ import annotations

import json
import re
import sqlite3
import sys

import pytest
from support.controller import NOW, catalog, declare, declare_pool
from typer.testing import CliRunner

from tidegate.cli.controller import app
from tidegate.cli.controller_sources import build_sources, find_context
from tidegate.manifest.build import dump_manifest
from tidegate.sources.config import CsvSource, KubernetesSource
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Unavailable
from tidegate.vocabulary.records import DecisionRecord, Outcome, TickRecord
from tidegate.vocabulary.reports import SourceFault

WORK = {"accelerators": [{"accelerator": "h100-80gb", "perWorker": 8}]}


@pytest.fixture
def write(tmp_path):
    def put(name, document):
        path = tmp_path / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(path)

    return put


@pytest.fixture
def call(tmp_path):
    def run(*arguments):
        result = CliRunner().invoke(app, [*arguments, "--state-dir", str(tmp_path / "state")])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def outputs(write):
    """Return a file of stack outputs whose one pool has a kind that has no size."""
    pool = declare_pool("jobs", kind="managed-training", scaler="provider")
    manifest = dump_manifest(declare(pool))
    return write("outputs.json", {"capacity": manifest, "bindings": {"pools": {"jobs": {}}}})


def test_a_plan_tells_sources_and_what_is_unmet(call, write, outputs):
    work = write("work.csv", "id,queuedAt\na,2026-11-30T12:00:00Z\n")
    sources = write(
        "sources.yaml", {"sources": [{"kind": "csv", "name": "file", "path": work, "work": WORK}]}
    )

    result = call("plan", "--outputs", outputs, "--sources", sources, "--format", "json")

    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert told["sources"] == [
        {"name": "file", "sound": True, "fault": "", "items": 1, "notes": []}
    ]
    assert [unmet["items"] for unmet in told["unmet"]] == [["file/a"]]
    assert told["orders"] == []


def test_a_plan_reads_the_outputs_of_a_pipe(outputs, tmp_path):
    with open(outputs, encoding="utf-8") as text:  # noqa: PTH123 - it stands for a pipe
        result = CliRunner().invoke(
            app,
            ["plan", "--outputs", "-", "--state-dir", str(tmp_path / "state")],
            input=text.read(),
        )

    assert result.exit_code == 0
    assert "nothing is to be resized" in result.stdout


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("{", "is not JSON"),
        ({"bindings": {}}, "holds no capacity manifest"),
        ({"capacity": dump_manifest(declare(declare_pool()))}, "bindings: is missing"),
    ],
    ids=["no JSON", "no manifest", "no bindings"],
)
def test_wrong_outputs_are_told(call, write, document, says):
    with pytest.raises(InvalidInput, match=says):
        call("plan", "--outputs", write("wrong.json", document))


@pytest.mark.parametrize("module", ["tidegate.controller.loop", "tidegate.state.database"])
def test_what_is_not_installed_is_named(call, outputs, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(Unavailable, match=r"install tidegate\[controller\]"):
        call("once", "--outputs", outputs)


def test_sources_that_cannot_be_read_are_told(call, write, outputs, tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        call("plan", "--outputs", outputs, "--sources", str(tmp_path / "none.yaml"))
    with pytest.raises(InvalidInput, match="is no YAML"):
        call("plan", "--outputs", outputs, "--sources", write("s.yaml", "sources: ["))


@pytest.mark.parametrize("listen", ["9470", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http"])
def test_an_address_that_is_none_is_told(call, outputs, listen):
    with pytest.raises(InvalidInput, match="is no HOST:PORT"):
        call("run", "--outputs", outputs, "--listen", listen)


def test_beyond_loopback_a_token_is_needed(call, outputs, monkeypatch):
    monkeypatch.delenv("TIDEGATE_CONTROLLER_TOKEN", raising=False)

    with pytest.raises(InvalidInput, match="is not loopback"):
        call("run", "--outputs", outputs, "--listen", "0.0.0.0:0")


def test_without_a_database_nothing_is_known(call):
    for command in (["status"], ["explain", "train"]):
        with pytest.raises(Unavailable, match="no controller has run here yet"):
            call(*command)


@pytest.mark.parametrize("command", [["status"], ["explain", "train"], ["resume", "train"]])
def test_a_database_of_an_older_version_is_left_to_its_controller(
    call, remembered, tmp_path, command
):
    path = tmp_path / "state" / "controller.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()

    with pytest.raises(Unavailable, match="an older Tidegate wrote it"):
        call(*command)

    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [("0001",)]
    connection.close()


@pytest.fixture
def remembered(tmp_path):
    (tmp_path / "state").mkdir()
    engine = open_database(f"sqlite:///{tmp_path / 'state' / 'controller.db'}")
    store = DatabaseStore(engine)
    token = store.take_lease("one", 0.0)
    record = DecisionRecord(
        NOW, "train", "grow", "work waits", 0, 2, "160.0000 USD", Outcome.APPLIED
    )
    store.record_intents(token, [record])
    store.record_tick(token, TickRecord(NOW, 1, "one", "0 USD", "serve,train", 0), [], [], [])
    engine.dispose()


@pytest.fixture
def observed(tmp_path, remembered):
    """Remember how two pools stood, of which one is scaled by something else."""
    engine = open_database(f"sqlite:///{tmp_path / 'state' / 'controller.db'}")
    store = DatabaseStore(engine)
    token = store.take_lease("one", 20.0)
    tick = TickRecord(NOW, 1, "one", "0 USD", "serve,train,others", 0)
    store.record_tick(token, tick, [], [], [])
    shown = {"id": "serve", "scaler": "tidegate", "target": 1, "min": 0, "max": 2, "unread": ""}
    other = {**shown, "id": "others", "scaler": "karpenter", "target": 0, "max": 4}
    pools = [{**shown, "phases": {"busy": 1}}, {**other, "phases": {}}]
    idle = [{"id": "notebook/desk"}, {"id": "notebook/chat"}, {"id": "endpoint/chat"}]
    store.record_snapshot(token, {"pools": pools, "idle": idle})
    engine.dispose()


def test_a_pool_is_explained_by_its_decisions(call, remembered):
    result = call("explain", "train", "--format", "json")

    assert json.loads(result.stdout) == [
        {
            "at": "2026-11-30T12:00:00+00:00",
            "pool": "train",
            "action": "grow",
            "from": 0,
            "to": 2,
            "reason": "work waits",
            "perHour": "160.0000 USD",
            "outcome": "applied",
            "detail": "",
        }
    ]


def test_a_pool_is_paused_and_scaled_again(call, remembered, tmp_path):
    result = call("pause", "serve", "--owner", "ana", "--hours", "2", "--nodes", "1")
    assert result.stdout.startswith("serve is pinned to size 1 until ")
    shown = call("status").stdout
    assert re.search(
        r"override   serve: pinned to size 1 by ana until [-0-9]+ [:0-9]+ UTC\n", shown
    )
    (said,) = json.loads(call("status", "--format", "json").stdout)["overrides"]
    assert (said["pool"], said["owner"], said["nodes"]) == ("serve", "ana", 1)

    assert call("resume", "serve").stdout == "serve is scaled again\n"
    with pytest.raises(Unavailable, match="neither paused, pinned nor snoozed"):
        call("resume", "serve")


def test_a_pool_that_is_not_there_is_not_paused(call, remembered):
    with pytest.raises(InvalidInput, match="did you mean 'serve'"):
        call("pause", "srve", "--owner", "ana", "--hours", "2")


def test_a_misspelt_pool_is_told(call, remembered):
    with pytest.raises(InvalidInput, match="did you mean 'train'"):
        call("explain", "trian")


def test_a_pool_on_which_nothing_was_decided_is_told_as_it_is(call, observed):
    assert call("explain", "serve").stdout == (
        "nothing was decided on serve yet: 1 node (0 to 2), 1 busy\n"
    )
    assert call("explain", "others").stdout == (
        "nothing was decided on others yet: 0 nodes (0 to 4); "
        "it is scaled by karpenter, and only observed\n"
    )
    assert call("explain", "fleet").stdout == "nothing was decided on the fleet yet\n"
    assert json.loads(call("explain", "serve", "--format", "json").stdout) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["others", "--owner", "ana"], "POOL = 'others': is scaled by karpenter"),
        (["serve", "--owner", " "], "--owner = ' ': names nobody"),
        (["serve", "--owner", "ana", "--nodes", "9"], "--nodes = 9: is no size of serve"),
    ],
    ids=["observed", "nobody", "too many"],
)
def test_a_word_that_would_change_nothing_is_refused(call, observed, arguments, says):
    with pytest.raises(InvalidInput, match=says):
        call("pause", *arguments, "--hours", "1")


def test_a_notebook_is_snoozed_explained_and_looked_at_again_by_its_short_name(call, observed):
    snoozed = call("snooze", "desk", "--owner", "ana", "--hours", "2").stdout
    assert snoozed.startswith("notebook/desk goes on until ")
    silence = "nothing was decided on notebook/desk yet\n"
    assert call("explain", "notebook/desk").stdout == silence
    assert call("explain", "desk").stdout == silence
    assert call("resume", "desk").stdout == "notebook/desk is looked at again\n"


def test_a_name_that_two_have_is_told_with_both(call, observed):
    for command in (["explain"], ["snooze", "--owner", "ana", "--hours", "1"]):
        with pytest.raises(InvalidInput, match="two; expected endpoint/chat, notebook/chat"):
            call(*command, "chat")


def test_a_misspelt_notebook_is_told_by_explain(call, observed):
    with pytest.raises(InvalidInput, match="did you mean 'notebook/desk'"):
        call("explain", "notebook/dsk")


def test_an_old_status_says_how_old_it_is(call, remembered):
    shown = call("status").stdout.splitlines()

    assert shown[1].startswith("last turn  2026-11-30 12:00:00 UTC, ")
    assert "what follows is old" in shown[2]


def test_a_folder_without_a_project_is_told(call, tmp_path):
    with pytest.raises(InvalidInput, match=r"--project = .*: holds no Pulumi\.yaml"):
        call("plan", "--project", str(tmp_path / "none"))


def test_status_tells_who_leads(call, remembered):
    assert json.loads(call("status", "--format", "json").stdout)["leader"] == "one"


@pytest.mark.parametrize(
    ("cloud", "contexts", "found"),
    [
        (Cloud.AWS, ["arn:aws:eks:us-east-1:1234:cluster/ml"], 0),
        (Cloud.AWS, ["arn:aws:eks:eu-west-1:1234:cluster/ml"], None),
        (Cloud.AWS, ["arn:aws:eks:us-east-1:9999:cluster/ml"], None),
        (Cloud.GCP, ["other", "gke_1234_us-east-1-b_ml"], 1),
        (Cloud.AZURE, ["ml-old", "ml"], 1),
        (Cloud.AZURE, ["azure/ml.group.1234"], 0),
        (Cloud.AWS, ["aws/ml.us-east-1", "aws/ml.us-east-2"], None),
    ],
    ids=["EKS", "region", "account", "GKE", "AKS", "local", "two that fit"],
)
def test_contexts_are_found_as_the_clouds_name_them(cloud, contexts, found):
    pools = [declare_pool(cluster="ml", account="1234", cloud=cloud)]

    name = find_context((cloud, "ml", "us-east-1"), pools, contexts)

    assert name == ("" if found is None else contexts[found])


def test_a_cluster_that_cannot_be_reached_is_a_source_in_doubt(monkeypatch, tmp_path):
    monkeypatch.setattr("tidegate.sources.kubernetes.list_contexts", list)
    manifest = declare(declare_pool(cluster="ml"))

    wired = build_sources(manifest, [], catalog(), {})

    (source,) = wired.sources
    with pytest.raises(SourceFault, match="no kubeconfig context is of cluster aws/ml/us-east-1"):
        source.fetch()
    with pytest.raises(SourceFault, match="no cluster is known"):
        wired.close("train", "node")
    assert wired.clusters == {"aws/ml/us-east-1": ("train",)}


def test_a_cluster_where_nothing_is_resized_is_not_missed(monkeypatch):
    monkeypatch.setattr("tidegate.sources.kubernetes.list_contexts", list)
    manifest = declare(declare_pool(cluster="ml", scaler="karpenter"))

    assert build_sources(manifest, [], catalog(), {}).sources == []


def kubeconfig_of(write, server):
    named = {"name": "prod", "context": {"cluster": "prod", "user": "prod"}}
    return write(
        "other-kubeconfig",
        {
            "clusters": [{"name": "prod", "cluster": {"server": server}}],
            "users": [{"name": "prod", "user": {"token": "a-token"}}],
            "contexts": [named],
        },
    )


def build_from(write, server, urls):
    source = KubernetesSource(
        kind="kubernetes", cloud="aws", cluster="ml", context="prod", name="prod",
        kubeconfig=kubeconfig_of(write, server),
    )  # fmt: skip
    return build_sources(declare(declare_pool(cluster="ml")), [source], catalog(), urls)


def test_a_source_may_name_a_kubeconfig_of_its_own(write):
    wired = build_from(write, "https://ml.example.com", {})

    (source,) = wired.sources
    assert source.name == "prod"
    assert wired.closers == {"train": source}
    assert wired.clusters == {"prod": ("train",)}


def test_with_local_clouds_no_cluster_beyond_this_machine_is_read(write):
    local = {"gcp": "http://127.0.0.1:1"}

    assert len(build_from(write, "https://127.0.0.1:6443", local).closers) == 1
    with pytest.raises(InvalidInput, match=r"https://ml\.example\.com.* not on this machine"):
        build_from(write, "https://ml.example.com", local)


@pytest.mark.parametrize(
    "source",
    [
        CsvSource(kind="csv", name="file", path="x", pool="trian", work=WORK),
        KubernetesSource(kind="kubernetes", cloud="aws", cluster="other", context="x"),
    ],
    ids=["pool", "cluster"],
)
def test_a_source_of_what_is_not_declared_is_told(source):
    with pytest.raises(InvalidInput, match="is not declared"):
        build_sources(declare(declare_pool()), [source], catalog(), {})
