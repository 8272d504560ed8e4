"""The language host through its own protocol, as the engine speaks it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from tidegate.engine.language_host import _explain_exit


@pytest.fixture
def host() -> Iterator[subprocess.Popen[str]]:
    environment = {k: v for k, v in os.environ.items() if k != "PULUMI_PYTHON_CMD"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate.engine.language_host", "-v=1", "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    yield process
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture
def stub(host: subprocess.Popen[str]) -> Iterator[language_pb2_grpc.LanguageRuntimeStub]:
    assert host.stdout is not None
    with grpc.insecure_channel(f"127.0.0.1:{int(host.stdout.readline())}") as channel:
        yield language_pb2_grpc.LanguageRuntimeStub(channel)


def program(directory: Path, text: str, **options: str) -> language_pb2.ProgramInfo:
    (directory / "__main__.py").write_text(text)
    settings = struct_pb2.Struct()
    settings.update(options)
    return language_pb2.ProgramInfo(
        root_directory=str(directory),
        program_directory=str(directory),
        entry_point=".",
        options=settings,
    )


def run_plugin(stub, info: language_pb2.ProgramInfo, *arguments: str):
    request = language_pb2.RunPluginRequest(
        pwd=info.root_directory, args=arguments, env=["COLOUR=blue"], info=info, kind="tool"
    )
    return stub.RunPlugin(request)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text()


def wait_until_gone(*pids: int) -> None:
    deadline = time.monotonic() + 20
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a process was left behind"
        time.sleep(0.05)


def test_lists_the_provider_packages_installed_beside_the_program(stub, tmp_path) -> None:
    request = language_pb2.GetRequiredPackagesRequest(info=program(tmp_path, ""))
    packages = stub.GetRequiredPackages(request).packages
    found = {package.name: (package.kind, package.version) for package in packages}
    assert found["aws"] == ("resource", version("pulumi-aws"))
    assert {"aws", "gcp", "azure-native"} <= found.keys()


def test_lists_the_same_for_a_program_with_an_environment_of_its_own(stub, tmp_path) -> None:
    environment = tmp_path / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    folder = next(environment.glob("lib/python*/site-packages")) / "pulumi_tiny"
    folder.mkdir()
    (folder / "pulumi-plugin.json").write_text('{"resource": true, "name": "tiny", "version": "2"}')
    info = program(tmp_path, "", virtualenv=".venv")

    packages = stub.GetRequiredPackages(language_pb2.GetRequiredPackagesRequest(info=info)).packages
    about = stub.About(language_pb2.AboutRequest(info=info))

    assert [(package.name, package.version) for package in packages] == [("tiny", "2")]
    assert about.executable == str(environment / "bin" / "python")


def test_refuses_an_environment_that_is_not_there_and_says_how_to_make_it(stub, tmp_path) -> None:
    info = program(tmp_path, "", virtualenv="nowhere")
    answer = stub.Run(language_pb2.RunRequest(info=info))
    assert "nowhere (option virtualenv: nowhere) is no virtual environment" in answer.error
    assert "python3 -m venv" in answer.error


def test_answers_who_it_is_and_what_a_program_depends_on(stub, tmp_path) -> None:
    info = program(tmp_path, "")
    assert stub.GetPluginInfo(empty_pb2.Empty()).version == version("pulumi")
    ask = language_pb2.GetProgramDependenciesRequest
    every = stub.GetProgramDependencies(ask(info=info, transitiveDependencies=True)).dependencies
    direct = stub.GetProgramDependencies(ask(info=info)).dependencies
    assert "grpcio" in {found.name for found in every}
    assert "grpcio" not in {found.name for found in direct}
    assert "tidegate" in {found.name for found in direct}


def test_streams_a_plugins_output_and_then_its_exit_code(stub, tmp_path) -> None:
    info = program(
        tmp_path,
        "import os, sys\n"
        "print(sys.argv[1:], os.environ['COLOUR'])\n"
        "print('oh', file=sys.stderr)\n"
        "sys.exit(7)\n",
    )
    answers = list(run_plugin(stub, info, "127.0.0.1:9", "--flag"))
    assert b"".join(a.stdout for a in answers) == b"['127.0.0.1:9', '--flag'] blue\n"
    assert b"".join(a.stderr for a in answers) == b"oh\n"
    assert answers[-1].WhichOneof("output") == "exitcode"
    assert answers[-1].exitcode == 7


SLEEPER = (
    "import os, subprocess, time\n"
    "child = subprocess.Popen(['sleep', '600'])\n"
    "print(os.getpid(), child.pid, flush=True)\n"
    "time.sleep(600)\n"
)


def start_sleeper(stub, tmp_path) -> tuple[object, list[int]]:
    answers = run_plugin(stub, program(tmp_path, SLEEPER))
    return answers, [int(word) for word in next(answers).stdout.split()]


def test_ends_a_plugin_and_its_children_when_the_engine_cancels(stub, tmp_path) -> None:
    answers, pids = start_sleeper(stub, tmp_path)
    answers.cancel()
    wait_until_gone(*pids)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_leaves_at_once_when_told_to_with_all_it_started(host, stub, tmp_path, number) -> None:
    _, pids = start_sleeper(stub, tmp_path)
    host.send_signal(number)
    assert host.wait(timeout=20) == 0
    wait_until_gone(*pids)


def test_what_it_started_ends_when_the_host_itself_is_killed(host, stub, tmp_path) -> None:
    _, pids = start_sleeper(stub, tmp_path)
    host.kill()
    host.wait()
    wait_until_gone(*pids)


def test_leaves_when_the_engine_was_killed() -> None:
    starter = (
        "import subprocess, sys, time\n"
        "host = subprocess.Popen([sys.executable, '-m', 'tidegate.engine.language_host', 'x'],"
        " stdout=subprocess.PIPE, text=True)\n"
        "host.stdout.readline()\n"
        "print(host.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    engine = subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, text=True)
    assert engine.stdout is not None
    pid = int(engine.stdout.readline())
    engine.kill()
    engine.wait()
    engine.stdout.close()
    wait_until_gone(pid)


def test_installs_a_programs_requirements_into_its_environment(stub, tmp_path) -> None:
    info = program(tmp_path, "")
    request = language_pb2.InstallDependenciesRequest(directory=str(tmp_path), info=info)
    said = b"".join(answer.stderr for answer in stub.InstallDependencies(request))
    assert b"nothing to install" in said

    (tmp_path / "requirements.txt").write_text("pip\n")  # there already: no index is asked
    said = b"".join(answer.stdout for answer in stub.InstallDependencies(request))
    assert b"already satisfied: pip" in said


def test_says_with_which_code_or_signal_a_program_ended() -> None:
    assert _explain_exit(0) == language_pb2.RunResponse()
    assert _explain_exit(32) == language_pb2.RunResponse(bail=True)
    assert _explain_exit(9).error == "The Python program ended with exit code 9"
    assert _explain_exit(-9).error == "The Python program was ended by SIGKILL"
