from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import Notebooks
from tidegate_components.notebooks import stop_when_idle
from tidegate_components.notebooks.lifecycle import MAX_CHARACTERS, encode_script, render_script
from tidegate_components.notebooks.parse import parse_notebook
from tidegate_components.notebooks.stop_when_idle import decide_stop, find_last_activity

from tidegate.vocabulary.problems import InvalidInput

ROLE = "arn:aws:iam::123456789012:role/notebook"
PLACES = {
    "notebook-instance": {
        "cloud": "aws",
        "region": "us-east-1",
        "instance_type": "ml.g5.xlarge",
        "aws": {"role_arn": ROLE},
    },
    "studio": {
        "cloud": "aws",
        "kind": "studio",
        "region": "us-east-1",
        "instance_type": "ml.g5.xlarge",
        "aws": {"role_arn": ROLE, "vpc_id": "vpc-1", "subnet_ids": ["subnet-1"]},
    },
    "workbench": {
        "cloud": "gcp",
        "region": "us-central1",
        "zone": "us-central1-a",
        "instance_type": "g2-standard-48",
        "gcp": {"project": "acme-ml"},
    },
    "compute-instance": {
        "cloud": "azure",
        "region": "eastus",
        "instance_type": "Standard_NC24ads_A100_v4",
        "azure": {"resource_group_name": "ml", "workspace_name": "lab"},
    },
}
MADE = {
    "notebook-instance": [
        "aws:sagemaker/notebookInstance:NotebookInstance",
        (
            "aws:sagemaker/notebookInstanceLifecycleConfiguration:"
            "NotebookInstanceLifecycleConfiguration"
        ),
    ],
    "studio": ["aws:sagemaker/domain:Domain", "aws:sagemaker/userProfile:UserProfile"],
    "workbench": ["gcp:workbench/instance:Instance"],
    "compute-instance": ["azure-native:machinelearningservices:Compute"],
}


@pytest.fixture
def args(labels):
    def build(which, **changes):
        merged = {"idle_shutdown_seconds": 7200, "labels": labels, **PLACES[which], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(kind, opts=None, **changes):
        return record(lambda: Notebooks("explore", args(kind, **changes), opts, catalog))

    return run


def resources(recording):
    return [each for each in recording.all if not each.type.startswith("tidegate:")]


@pytest.mark.parametrize("kind", sorted(PLACES))
def test_each_kind_is_labelled_and_stops_when_idle(declare, labels, kind):
    recording = declare(kind)

    assert sorted(each.type for each in resources(recording)) == MADE[kind]
    for each in resources(recording):
        found = each.inputs.get("tags") or each.inputs["labels"]
        assert found == {**labels, "managed-by": "tidegate"}
    (notebook,) = recording.outputs["explore"]["capacity"]["notebooks"]
    assert notebook["kind"].endswith(kind)
    assert notebook["idleShutdownSeconds"] == 7200


def test_a_notebook_instance_runs_our_script_at_each_start(declare):
    lifecycle = declare("notebook-instance", max_age_seconds=86400).one("LifecycleConfiguration")

    script = base64.b64decode(lifecycle.inputs["onStart"]).decode()
    assert script == render_script(7200, 86400)
    assert "--idle-seconds 7200 --max-age-seconds 86400" in script


@pytest.mark.parametrize("kind", sorted(PLACES))
def test_what_tidegate_stops_has_its_clouds_own_shutdown_behind_it(declare, kind):
    recording = declare(kind, stopped_by="tidegate", max_age_seconds=86400)

    (notebook,) = recording.outputs["explore"]["capacity"]["notebooks"]
    told = ("idleShutdownSeconds", "maxAgeSeconds", "stoppedBy")
    assert [notebook[key] for key in told] == [7200, 86400, "tidegate"]
    assert read_own_idle(recording, kind) == 28800


def read_own_idle(recording, kind):
    """Return after what idle time a cloud itself stops a recorded notebook."""
    if kind == "notebook-instance":
        text = recording.one("LifecycleConfiguration").inputs["onStart"]
        script = base64.b64decode(text).decode()
        assert "--max-age-seconds 172800 --report\n" in script
        return int(script.partition("--idle-seconds ")[2].partition(" ")[0])
    if kind == "studio":
        settings = recording.one("UserProfile").inputs["userSettings"]["jupyterLabAppSettings"]
        idle = settings["appLifecycleManagement"]["idleSettings"]
        return idle["idleTimeoutInMinutes"] * 60
    if kind == "workbench":
        setup = recording.one("workbench/instance:Instance").inputs["gceSetup"]
        return int(setup["metadata"]["idle-timeout-seconds"])
    inner = recording.one("Compute").inputs["properties"]["properties"]
    return int(inner["idleTimeBeforeShutdown"].strip("PTM")) * 60


def test_the_clouds_own_shutdown_stays_within_what_the_cloud_takes(args, catalog):
    wanted = args("workbench", stopped_by="tidegate", idle_shutdown_seconds=43200)

    spec = parse_notebook("explore", wanted, catalog)

    assert (spec.idle_shutdown_seconds, spec.own_idle_seconds) == (43200, 86400)


def test_the_script_is_one_that_bash_and_python_read_and_sagemaker_takes(tmp_path):
    script = render_script(3600, None)
    program = script.split("<<'TIDEGATE_END'\n")[1].split("TIDEGATE_END\n")[0]

    checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    compile(program, "stop_when_idle.py", "exec")
    assert len(encode_script(3 * 86400, 30 * 86400, reports=True)) <= MAX_CHARACTERS


def test_users_cannot_switch_the_shutdown_off(declare):
    instance = declare("notebook-instance").one("NotebookInstance").inputs
    settings = declare("studio").one("UserProfile").inputs["userSettings"]

    assert instance["rootAccess"] == "Disabled"
    for app in ("jupyterLabAppSettings", "codeEditorAppSettings"):
        idle = settings[app]["appLifecycleManagement"]["idleSettings"]
        assert idle == {
            "lifecycleManagement": "ENABLED",
            "idleTimeoutInMinutes": 120,
            "maxIdleTimeoutInMinutes": 120,
        }


def test_a_notebook_in_a_subnet_has_no_internet_access_of_its_own(declare):
    aws = {"role_arn": ROLE, "subnet_id": "subnet-1", "security_group_ids": ["sg-1"]}

    assert declare("notebook-instance").one("NotebookInstance").inputs["directInternetAccess"] == (
        "Enabled"
    )
    private = declare("notebook-instance", aws=aws).one("NotebookInstance").inputs
    assert (private["directInternetAccess"], private["subnetId"]) == ("Disabled", "subnet-1")


def test_a_studio_domain_that_exists_is_not_made_again(declare):
    recording = declare("studio", aws={"role_arn": ROLE, "domain_id": "d-1"})

    assert [each.type for each in resources(recording)] == [MADE["studio"][1]]
    assert recording.one("UserProfile").inputs["domainId"] == "d-1"


def test_a_workbench_has_no_public_address_and_stays_stopped(declare):
    instance = declare("workbench").one("workbench/instance:Instance")

    assert instance.inputs["gceSetup"]["disablePublicIp"] is True
    assert instance.inputs["gceSetup"]["metadata"] == {"idle-timeout-seconds": "7200"}
    assert instance.ignored == ["desiredState"]


def test_an_accelerator_is_attached_to_a_plain_workbench_machine(declare):
    recording = declare(
        "workbench", instance_type="n1-standard-8", accelerator="t4", accelerators_per_node=1
    )

    setup = recording.one("workbench/instance:Instance").inputs["gceSetup"]
    assert setup["acceleratorConfigs"] == [{"type": "NVIDIA_TESLA_T4", "coreCount": "1"}]


def test_a_compute_instance_is_made_anew_because_azure_changes_none(declare):
    azure = {
        "resource_group_name": "ml",
        "workspace_name": "lab",
        "stop_cron": "0 19 * * *",
        "stop_time_zone": "W. Europe Standard Time",
    }
    compute = declare("compute-instance", azure=azure).one("machinelearningservices:Compute")

    assert list(compute.request.replaceOnChanges) == ["properties", "location", "identity"]
    assert compute.request.deleteBeforeReplace
    properties = compute.inputs["properties"]["properties"]
    assert properties["idleTimeBeforeShutdown"] == "PT120M"
    assert properties["sshSettings"] == {"sshPublicAccess": "Disabled"}
    (stop,) = properties["schedules"]["computeStartStop"]
    assert stop["cron"] == {"expression": "0 19 * * *", "timeZone": "W. Europe Standard Time"}


def test_the_callers_options_reach_the_children_they_concern(declare):
    opts = pulumi.ResourceOptions(ignore_changes=["tags", "volumeSize"], protect=True)
    recording = declare("notebook-instance", opts)

    assert recording.one("NotebookInstance").ignored == ["tags", "volumeSize"]
    assert recording.one("LifecycleConfiguration").ignored == ["tags"]


@pytest.mark.parametrize(
    ("kind", "changes", "start"),
    [
        (
            "notebook-instance",
            {"idle_shutdown_seconds": None},
            (
                "notebook explore: idle_shutdown_seconds: is required: a notebook that nobody "
                "stops is paid for all night; expected 600 to 259200 seconds"
            ),
        ),
        (
            "studio",
            {"idle_shutdown_seconds": 1800},
            (
                "notebook explore: idle_shutdown_seconds = 1800: is no idle time of a studio "
                "(SageMaker API reference, IdleSettings: 60 to 525600 minutes); expected 3600 to "
                "31536000 seconds in whole minutes"
            ),
        ),
        (
            "workbench",
            {"idle_shutdown_seconds": 90000},
            "notebook explore: idle_shutdown_seconds = 90000: is no idle time of a workbench",
        ),
        (
            "compute-instance",
            {"idle_shutdown_seconds": 930},
            "notebook explore: idle_shutdown_seconds = 930: is no idle time of a compute-instance",
        ),
        (
            "compute-instance",
            {"max_age_seconds": 86400},
            "notebook explore: max_age_seconds = 86400: cannot be kept by a compute-instance",
        ),
        (
            "studio",
            {"stopped_by": "nobody"},
            "notebook explore: stopped_by = 'nobody': stops no notebook; expected one of provider,",
        ),
        (
            "compute-instance",
            {"disk_gib": 100},
            "notebook explore: disk_gib: cannot be chosen: a compute-instance has a disk of its",
        ),
        (
            "notebook-instance",
            {"disk_gib": 2},
            "notebook explore: disk_gib = 2: is no disk of a notebook-instance (SageMaker API",
        ),
        (
            "notebook-instance",
            {"instance_type": "g5.xlarge"},
            "notebook explore: instance_type = 'g5.xlarge': is no SageMaker instance type",
        ),
        (
            "workbench",
            {"kind": "studio"},
            ("notebook explore: kind = 'studio': does not exist on gcp; expected one of workbench"),
        ),
        (
            "workbench",
            {"instance_type": "n1-standard-8", "accelerator": "t4", "accelerators_per_node": 3},
            "notebook explore: accelerators_per_node = 3: cannot be attached to n1-standard-8",
        ),
        (
            "workbench",
            {"aws": {"role_arn": ROLE}},
            "notebook explore: aws: concerns aws, and the notebook is in gcp",
        ),
        (
            "compute-instance",
            {
                "azure": {
                    "resource_group_name": "ml",
                    "workspace_name": "lab",
                    "stop_cron": "0 19 * * *",
                    "stop_time_zone": "Europe/Berlin",
                }
            },
            "notebook explore: azure.stop_time_zone = 'Europe/Berlin': is an IANA zone, and Azure",
        ),
    ],
)
def test_what_a_cloud_does_not_do_is_refused(args, catalog, kind, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_notebook("explore", args(kind, **changes), catalog)

    (line,) = str(caught.value).splitlines()
    assert line.startswith(start)


def test_a_studio_without_domain_needs_a_network(record, args, catalog):
    caught = []

    def program():
        with pytest.raises(InvalidInput) as error:
            Notebooks("explore", args("studio", aws={"role_arn": ROLE}), None, catalog)
        caught.append([problem.property for problem in error.value.problems])

    assert record(program).all == []
    assert caught == [["aws.vpc_id", "aws.subnet_ids"]]


NOW = 1_800_000_000.0
THEN = "2026-11-30T12:00:00.000000Z"


@given(state=st.sampled_from(["busy", "starting", "restarting"]), others=st.integers(0, 3))
def test_a_busy_kernel_is_work_however_long_ago_its_last_message_is(state, others):
    idle = [{"execution_state": "idle", "last_activity": THEN}] * others
    busy = {"execution_state": state, "last_activity": THEN}

    last = find_last_activity([*idle, busy], [], NOW)

    assert last == NOW
    assert decide_stop(NOW, 0.0, last, 600, 0) == ""


def test_terminals_count_as_activity():
    kernels = [{"execution_state": "idle", "last_activity": THEN}]
    terminals = [{"name": "1", "last_activity": "2026-11-30T12:10:00.000000Z"}]

    with_terminal = find_last_activity(kernels, terminals, NOW)
    without = find_last_activity(kernels, [], NOW)

    assert with_terminal is not None
    assert without is not None
    assert with_terminal - without == 600


def test_a_machine_that_just_booted_is_not_idle():
    assert decide_stop(NOW, NOW - 60, None, 600, 0) == ""
    assert decide_stop(NOW, NOW - 60, NOW - 86400, 600, 0) == ""


def test_the_maximum_age_stops_even_a_busy_kernel():
    assert decide_stop(NOW, NOW - 3600, NOW, 600, 3600) == "has run for 3600 s, and may for 3600"


@given(
    age=st.integers(0, 10**6),
    idle=st.integers(0, 10**6),
    limit=st.integers(1, 10**6),
    oldest=st.integers(0, 10**6),
)
def test_it_stops_exactly_when_idle_or_old(age, idle, limit, oldest):
    idle = min(idle, age)

    stops = decide_stop(NOW, NOW - age, NOW - idle, limit, oldest) != ""

    assert stops == (idle >= limit or (oldest > 0 and age >= oldest))


class Jupyter(BaseHTTPRequestHandler):
    """Answers as the server of a notebook instance does."""

    kernels: ClassVar[list[dict[str, str]]] = []

    def do_GET(self):
        path, _, query = self.path.partition("?")
        assert query == "no_track_activity=1", "the look itself would count as activity"
        found = self.kernels if path == "/api/kernels" else []
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def instance(monkeypatch, tmp_path):
    """Return a function that looks once, as the timer does, and gives what AWS was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Jupyter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    arn = "arn:aws:sagemaker:eu-central-1:123456789012:notebook-instance/explore"
    metadata = tmp_path / "resource-metadata.json"
    metadata.write_text(json.dumps({"ResourceName": "explore", "ResourceArn": arn}))
    asked = tmp_path / "asked"
    program = tmp_path / "aws"
    program.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    program.chmod(0o755)
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho 3\necho 42\n")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(stop_when_idle, "METADATA", str(metadata))
    monkeypatch.setattr(
        stop_when_idle, "JUPYTER", f"http://127.0.0.1:{server.server_address[1]}/api/"
    )

    def look(*arguments, state="idle", answers=True):
        Jupyter.kernels = [{"execution_state": state, "last_activity": THEN}]
        if not answers:
            monkeypatch.setattr(stop_when_idle, "JUPYTER", "http://127.0.0.1:1/api/")
        monkeypatch.setattr(sys, "argv", ["stop_when_idle.py", *arguments])
        stop_when_idle.main()
        return asked.read_text() if asked.exists() else ""

    yield look
    server.shutdown()
    server.server_close()


STOPPED = (
    "sagemaker stop-notebook-instance --region eu-central-1 --notebook-instance-name explore\n"
)


def test_an_idle_instance_asks_aws_to_stop_it(instance):
    assert instance("--idle-seconds", "0") == STOPPED


def test_a_busy_instance_goes_on_until_its_maximum_age(instance):
    assert instance("--idle-seconds", "1", state="busy") == ""
    assert instance("--idle-seconds", "1", "--max-age-seconds", "1", state="busy") == STOPPED


def test_nothing_stops_where_jupyter_does_not_answer(instance):
    assert instance("--idle-seconds", "0", answers=False) == ""


def test_the_maximum_age_holds_even_where_jupyter_does_not_answer(instance):
    arguments = ("--idle-seconds", "0", "--max-age-seconds", "1")

    assert instance(*arguments, answers=False) == STOPPED


def put(working):
    """Return what CloudWatch is asked to take of an instance whose busiest GPU is at 42 %."""
    dimensions = [{"Name": "NotebookInstanceName", "Value": "explore"}]
    values = {"Working": working, "Utilization": 42.0}
    data = json.dumps(
        [
            {"MetricName": name, "Dimensions": dimensions, "Value": value}
            for name, value in values.items()
            if value is not None
        ]
    )
    words = "cloudwatch put-metric-data --region eu-central-1 --namespace Tidegate/Notebooks"
    return f"{words} --metric-data {data}\n"


def test_a_reporting_instance_tells_of_work_and_load(instance):
    assert instance("--idle-seconds", "999999999", "--report", state="busy") == put(1.0)


def test_a_reporting_instance_that_rests_tells_so_and_stops_in_the_end(instance):
    assert instance("--idle-seconds", "0", "--report") == put(0.0) + STOPPED


def test_what_jupyter_does_not_tell_is_left_out_of_the_report(instance):
    assert instance("--idle-seconds", "0", "--report", answers=False) == put(None)


def test_a_broken_driver_is_no_idle_gpu(instance, tmp_path):
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n")

    told = instance("--idle-seconds", "999999999", "--report")

    assert ("Working" in told, "Utilization" in told) == (True, False)


def test_a_machine_without_gpu_tells_of_its_processors(monkeypatch):
    monkeypatch.setattr(stop_when_idle.shutil, "which", lambda _name: None)
    monkeypatch.setattr(stop_when_idle.os, "getloadavg", lambda: (9.0, 1.0, 0.0))
    monkeypatch.setattr(stop_when_idle.os, "cpu_count", lambda: 4)

    assert stop_when_idle.read_utilization() == 25.0
