"""Which sources of utilisation a stack has, and what is told to people."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler

import pytest
from support.answering import answering
from support.controller import declare_pool

from tidegate.cli.controller_messages import VARIABLE, Webhook, find_webhook, render_text
from tidegate.cli.controller_use import build_uses
from tidegate.manifest.model import Endpoint, Manifest, Notebook
from tidegate.sources.config import parse_sources
from tidegate.sources.utilisation_own import list_own_uses
from tidegate.vocabulary.problems import InvalidInput, Unavailable
from tidegate.vocabulary.reports import SourceFault

AWS = {"cloud": "aws", "region": "us-east-1", "labels": {}}
GCP = {"cloud": "gcp", "region": "us-central1", "labels": {}}
AZURE = {"cloud": "azure", "region": "eastus", "labels": {}}
PLACE = "projects/acme-ml/locations"
DEPLOYMENT = (
    "/subscriptions/s/resourceGroups/ml/providers/Microsoft.MachineLearningServices/workspaces/lab"
    "/onlineEndpoints/chat/deployments/main"
)


def notebook(kind, place, seconds=3600):
    return Notebook(
        id="desk",
        kind=kind,
        instance_type="any",
        idle_shutdown_seconds=seconds,
        stopped_by="tidegate",
        **place,
    )


def endpoint(kind, place, machine, **more):
    return Endpoint(
        id="chat",
        kind=kind,
        instance_type=machine,
        min_replicas=1,
        max_replicas=4,
        idle_shutdown_seconds=3600,
        **place,
        **more,
    )


OWN = [
    (
        notebook("sagemaker-notebook-instance", AWS),
        {"notebookInstance": "desk-1"},
        ["notebook/desk/Utilization", "notebook/desk/Working"],
    ),
    (
        notebook("vertex-workbench", GCP),
        {"id": f"{PLACE}/us-central1-a/instances/desk-1"},
        ["notebook/desk/cpu", "notebook/desk/network"],
    ),
    (notebook("sagemaker-studio", AWS), {"domain": "d-1", "userProfile": "ada"}, []),
    (notebook("azure-ml-compute-instance", AZURE), {"id": "/subscriptions/s/x"}, []),
    (
        endpoint("sagemaker-variant", AWS, "ml.g5.xlarge"),
        {"endpoint": "chat-1"},
        ["endpoint/chat/GPUUtilization", "endpoint/chat/Invocations"],
    ),
    (
        endpoint(
            "sagemaker-inference-component",
            AWS,
            "ml.m5.xlarge",
            target={"inferenceComponent": "chat-llama"},
        ),
        {"endpoint": "chat-1"},
        ["endpoint/chat/CPUUtilizationNormalized", "endpoint/chat/Invocations"],
    ),
    (endpoint("sagemaker-inference-component", AWS, "ml.m5.xlarge"), {"endpoint": "x"}, []),
    (
        endpoint("vertex-resource-pool", GCP, "g2-standard-8"),
        {"endpoint": f"{PLACE}/us-central1/endpoints/77"},
        ["endpoint/chat/accelerator/duty_cycle", "endpoint/chat/prediction_count"],
    ),
    (
        endpoint("azure-ml-deployment", AZURE, "Standard_NC24ads_A100_v4"),
        {"deployment": DEPLOYMENT},
        ["endpoint/chat/GpuUtilizationPercentage", "endpoint/chat/RequestsPerMinute"],
    ),
    (endpoint("azure-ml-deployment", AZURE, "Standard_F4s_v2"), {}, []),
]


@pytest.mark.parametrize(("declared", "binding", "names"), OWN)
def test_clouds_tell_of_load_and_activity_by_themselves(declared, binding, names):
    found = list(list_own_uses(declared, binding))

    assert [each.name for each in found] == names
    assert sorted(each.shows.value for each in found) == (["activity", "load"] if names else [])


def test_what_is_asked_names_just_the_one_thing():
    (load, asked) = list_own_uses(
        endpoint("azure-ml-deployment", AZURE, "Standard_NC24ads_A100_v4"),
        {"deployment": DEPLOYMENT},
    )
    (cpu, _) = list_own_uses(
        notebook("vertex-workbench", GCP), {"id": f"{PLACE}/us-central1-a/instances/desk-1"}
    )

    assert load.resource_id == DEPLOYMENT
    assert (asked.resource_id, asked.filter) == (
        DEPLOYMENT.partition("/deployments/")[0],
        "deployment eq 'main'",
    )
    assert (cpu.project, cpu.full) == ("acme-ml", 1)
    assert cpu.filter == (
        'metric.type="compute.googleapis.com/instance/cpu/utilization" '
        'AND metric.labels.instance_name="desk-1"'
    )


def build(manifest, given=(), bindings=None):
    return build_uses(manifest, bindings or {}, given, {"gcp": "http://127.0.0.1:9"})


def stack(*notebooks, pools=()):
    return Manifest(
        project="p", stack="s", catalog_digest="x", notebooks=list(notebooks), pools=list(pools)
    )


DESK = notebook("vertex-workbench", GCP, seconds=86400)
BOUND = {"notebook/desk": {"id": f"{PLACE}/us-central1-a/instances/desk-1"}}
QUERY = {"kind": "prometheus", "url": "http://127.0.0.1:9", "query": "up"}


def test_a_signal_that_the_file_names_stands_in_for_the_clouds_own():
    given = parse_sources(
        "s.yaml", {"utilisation": [{**QUERY, "name": "gpu", "about": "notebook/desk"}]}
    ).utilisation

    found = build(stack(DESK), given, BOUND)

    assert [each.name for each in found] == ["gpu", "notebook/desk/network"]
    assert {each._settings.window() for each in found} == {86400 + 1800}


def test_what_tidegate_does_not_stop_is_not_asked_for():
    left = DESK.model_copy(update={"stopped_by": None})

    assert build(stack(left), (), BOUND) == []


def test_a_source_about_a_stranger_is_refused():
    given = parse_sources(
        "s.yaml", {"utilisation": [{**QUERY, "name": "gpu", "about": "pool/trian"}]}
    ).utilisation

    with pytest.raises(InvalidInput, match="'pool/trian': is not declared; expected pool/train"):
        build(stack(pools=[declare_pool("train")]), given)


def test_without_credentials_a_source_is_in_doubt_and_the_others_are_asked(monkeypatch):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    found = build_uses(stack(DESK), BOUND, (), {})

    with pytest.raises(SourceFault, match="looking for Google's credentials"):
        found[0].fetch()


class Chat(BaseHTTPRequestHandler):
    """Takes what a webhook posts."""

    status = 200
    told: list[dict[str, str]]

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.told.append(json.loads(self.rfile.read(length)))
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def chat():
    handler = type("Own", (Chat,), {"told": []})
    with answering(handler) as port:
        yield f"http://127.0.0.1:{port}/hook/secret-word", handler


WARNING = {
    "stack": "tidegate/prod",
    "what": "reap-warn",
    "id": "notebook/desk",
    "owner": "ana",
    "reason": "nobody has used it for 3 h",
    "endsAt": "2026-11-30T12:15:00+00:00",
}


def test_a_warning_is_a_sentence_with_what_to_do(chat):
    url, handler = chat

    Webhook(url).tell(WARNING)

    text = (
        "notebook/desk of tidegate/prod (ana) ends at 2026-11-30T12:15:00+00:00: nobody has used "
        "it for 3 h; to keep it: tidegate controller snooze desk --owner YOU --hours 4"
    )
    assert handler.told == [{**WARNING, "text": text}]
    assert render_text({**WARNING, "what": "reap-stop", "owner": ""}) == (
        "notebook/desk of tidegate/prod (nobody is named as owner) ends now: nobody has used it "
        "for 3 h"
    )


def test_a_webhook_that_fails_does_not_show_its_address(chat):
    url, handler = chat
    handler.status = 500

    for place, says in ((url, "answers 500"), ("http://127.0.0.1:9/secret-word", "ConnectError")):
        with pytest.raises(Unavailable, match=says) as failed:
            Webhook(place).tell(WARNING)
        assert "secret-word" not in str(failed.value)
        assert failed.value.__cause__ is None


def test_the_webhook_is_one_of_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert find_webhook() is None
    monkeypatch.setenv(VARIABLE, "https://chat.example/hook")
    assert isinstance(find_webhook(), Webhook)
    monkeypatch.setenv(VARIABLE, "http://chat.example/secret-word")
    with pytest.raises(InvalidInput) as refused:
        find_webhook()
    assert "secret-word" not in str(refused.value)
