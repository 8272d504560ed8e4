"""A Pulumi language host for Python, in Python: `python -m tidegate.engine.language_host`.

Pulumi's own `pulumi-language-python` comes with its official download and is used wherever it
stands on PATH. This one speaks the same protocol (`pulumirpc.LanguageRuntime`, from the SDK's
own stubs) for machines that build the CLI from source. It does not generate code: `pulumi
convert` and `pulumi package gen-sdk` answer "unimplemented".
"""

# ruff: noqa: N802 - the methods carry the names of the protocol
from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, NoReturn

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from tidegate.engine import language_child
from tidegate.engine.interpreter import Interpreter, NoInterpreter, find_interpreter
from tidegate.engine.processes import ChildGroups, watch_parent

_CHILD = str(Path(language_child.__file__).resolve())
_CALLS_AT_ONCE = 64  # each running program or plugin holds one
_UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Runs Pulumi programs, policy packs and source-based plugins written in Python."""

    def __init__(self, engine_address: str) -> None:
        self._engine = engine_address
        self._children = ChildGroups()

    def stop(self) -> None:
        """End every program and plugin; none is started afterwards."""
        self._children.stop_all(refuse_more=True)

    def Handshake(
        self, request: language_pb2.LanguageHandshakeRequest, _context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        """Learn the engine's address (an attached host has none on its command line)."""
        self._engine = request.engine_address or self._engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(
        self, _request: empty_pb2.Empty, _context: grpc.ServicerContext
    ) -> plugin_pb2.PluginInfo:
        """Say which SDK this host speaks for."""
        return plugin_pb2.PluginInfo(version=importlib.metadata.version("pulumi"))

    def GetRequiredPackages(
        self, request: language_pb2.GetRequiredPackagesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        """List the provider packages installed beside the program."""
        return language_pb2.GetRequiredPackagesResponse(
            packages=[
                plugin_pb2.PackageDependency(**fields)
                for fields in self._installed_packages(request.info, context)
            ]
        )

    def GetRequiredPlugins(
        self, request: language_pb2.GetRequiredPluginsRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPluginsResponse:
        """List the same, for engines that know plugins only."""
        return language_pb2.GetRequiredPluginsResponse(
            plugins=[
                plugin_pb2.PluginDependency(**fields)
                for fields in self._installed_packages(request.info, context)
            ]
        )

    def Run(
        self, request: language_pb2.RunRequest, context: grpc.ServicerContext
    ) -> language_pb2.RunResponse:
        """Run a program to its end; its output is this host's output, so the engine shows it."""
        try:
            interpreter = _interpreter_for(request.info)
        except NoInterpreter as error:
            return language_pb2.RunResponse(error=str(error))
        environment = interpreter.activate(os.environ)
        environment["PULUMI_CONFIG"] = json.dumps(dict(request.config))
        environment["PULUMI_CONFIG_SECRET_KEYS"] = json.dumps(list(request.configSecretKeys))
        settings = {
            "project": request.project,
            "stack": request.stack,
            "monitor": request.monitor_address,
            "engine": self._engine,
            "parallel": request.parallel,
            "dry_run": request.dryRun,
            "organization": request.organization,
            "root_directory": request.info.root_directory,
        }
        command = [interpreter.executable, "-u", _CHILD, "--settings", json.dumps(settings)]
        command += ["program", _entry_point(request.info), *request.args]
        cwd = request.pwd or request.info.program_directory
        child = self._children.start(command, cwd=cwd, environment=environment)
        context.add_callback(lambda: self._children.stop(child))
        return _explain_exit(self._wait(child))

    def RunPlugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        """Run a policy pack or a source-based plugin, streaming output and then its exit code."""
        try:
            interpreter = _interpreter_for(request.info)
        except NoInterpreter as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
            return
        given = dict(line.split("=", 1) for line in request.env if "=" in line)
        child = self._children.start(
            [
                *(interpreter.executable, "-u", _CHILD, "--kind", request.kind),
                *("plugin", request.info.program_directory, *request.args),
            ],
            cwd=request.pwd or request.info.program_directory,
            environment=interpreter.activate({**os.environ, **given}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        context.add_callback(lambda: self._children.stop(child))
        for name, piece in _stream(child):
            if name == "stdout":
                yield language_pb2.RunPluginResponse(stdout=piece)
            else:
                yield language_pb2.RunPluginResponse(stderr=piece)
        yield language_pb2.RunPluginResponse(exitcode=self._wait(child))

    def InstallDependencies(
        self, request: language_pb2.InstallDependenciesRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        """Create the named virtual environment and install `requirements.txt` into it."""
        options = _options(request.info)
        root = Path(request.info.root_directory or request.directory)
        commands: list[list[str]] = []
        if named := str(options.get("virtualenv") or ""):
            folder = root / named
            python = str(folder / "bin" / "python")
            if not Path(python).is_file():
                commands.append([sys.executable, "-m", "venv", str(folder)])
        else:
            python = _interpreter_for(request.info).executable
        requirements = Path(request.directory) / "requirements.txt"
        if requirements.is_file():
            commands.append([python, "-m", "pip", "install", "-r", str(requirements)])
        else:
            message = f"No {requirements}: nothing to install.\n"
            # On stderr: the CLI's own stdout may be a document, as of `package get-schema`.
            yield language_pb2.InstallDependenciesResponse(stderr=message.encode())
        for command in commands:
            child = self._children.start(
                command,
                cwd=request.directory,
                environment=os.environ,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for name, piece in _stream(child):
                yield language_pb2.InstallDependenciesResponse(**{name: piece})
            if code := self._wait(child):
                line = " ".join(command)
                context.abort(grpc.StatusCode.INTERNAL, f"`{line}` ended with exit code {code}")

    def RuntimeOptionsPrompts(
        self, _request: language_pb2.RuntimeOptionsRequest, _context: grpc.ServicerContext
    ) -> language_pb2.RuntimeOptionsResponse:
        """Ask nothing more of a new project: the active virtual environment runs it."""
        return language_pb2.RuntimeOptionsResponse()

    def About(
        self, request: language_pb2.AboutRequest, context: grpc.ServicerContext
    ) -> language_pb2.AboutResponse:
        """Name the Python that would run the program."""
        interpreter = _interpreter_or_abort(request.info, context)
        version = platform.python_version()
        if not interpreter.is_own:
            shown = self._ask(
                interpreter, ["-c", "import platform; print(platform.python_version())"]
            )
            version = shown.decode().strip()
        return language_pb2.AboutResponse(
            executable=interpreter.executable, version=version, metadata={"host": "tidegate"}
        )

    def GetProgramDependencies(
        self, request: language_pb2.GetProgramDependenciesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetProgramDependenciesResponse:
        """List the distributions installed beside the program."""
        interpreter = _interpreter_or_abort(request.info, context)
        transitive = request.transitiveDependencies
        if interpreter.is_own:
            listed = language_child.list_distributions(transitive=transitive)
        else:
            flags = ["--transitive"] if transitive else []
            listed = json.loads(self._ask(interpreter, [_CHILD, *flags, "distributions"]))
        return language_pb2.GetProgramDependenciesResponse(
            dependencies=[language_pb2.DependencyInfo(**fields) for fields in listed]
        )

    def Cancel(self, _request: empty_pb2.Empty, _context: grpc.ServicerContext) -> empty_pb2.Empty:
        """End what runs; the pending calls then answer with the exit codes."""
        self._children.stop_all()
        return empty_pb2.Empty()

    def _installed_packages(
        self, info: language_pb2.ProgramInfo, context: grpc.ServicerContext
    ) -> list[dict[str, Any]]:
        interpreter = _interpreter_or_abort(info, context)
        if interpreter.is_own:
            found = language_child.list_packages()
        else:
            found = json.loads(self._ask(interpreter, [_CHILD, "packages"]))
        return [
            {
                "name": package["name"],
                "kind": "resource",
                "version": package.get("version", ""),
                "server": package.get("server", ""),
            }
            for package in found
        ]

    def _ask(self, interpreter: Interpreter, arguments: Sequence[str]) -> bytes:
        environment = interpreter.activate(os.environ)
        child = self._children.start(
            [interpreter.executable, *arguments],
            cwd=Path.cwd(),
            environment=environment,
            stdout=subprocess.PIPE,
        )
        answer, _ = child.communicate()
        if code := self._wait(child):
            raise RuntimeError(f"{interpreter.executable} {arguments[0]} ended with code {code}")
        return answer

    def _wait(self, child: subprocess.Popen[bytes]) -> int:
        code = child.wait()
        self._children.forget(child)
        return code


def _options(info: language_pb2.ProgramInfo) -> dict[str, Any]:
    options: dict[str, Any] = json_format.MessageToDict(info.options)
    return options


def _interpreter_for(info: language_pb2.ProgramInfo) -> Interpreter:
    return find_interpreter(Path(info.root_directory), _options(info), os.environ)


def _interpreter_or_abort(
    info: language_pb2.ProgramInfo, context: grpc.ServicerContext
) -> Interpreter:
    try:
        return _interpreter_for(info)
    except NoInterpreter as error:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        raise  # abort has raised already; this tells the type checker


def _entry_point(info: language_pb2.ProgramInfo) -> str:
    entry = info.entry_point
    return str(Path(info.program_directory) / entry if entry else Path(info.program_directory))


def _explain_exit(code: int) -> language_pb2.RunResponse:
    if code == 0:
        return language_pb2.RunResponse()
    if code == language_child.ALREADY_REPORTED:
        return language_pb2.RunResponse(bail=True)
    if code < 0:
        name = signal.Signals(-code).name
        return language_pb2.RunResponse(error=f"The Python program was ended by {name}")
    return language_pb2.RunResponse(error=f"The Python program ended with exit code {code}")


def _stream(child: subprocess.Popen[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield ("stdout" or "stderr", bytes) as they come, until both pipes are closed."""
    pieces: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()

    def read(name: str, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := os.read(pipe.fileno(), 65536):
                pieces.put((name, piece))
        pieces.put((name, b""))

    assert child.stdout is not None
    assert child.stderr is not None
    for name, pipe in (("stdout", child.stdout), ("stderr", child.stderr)):
        threading.Thread(target=read, args=(name, pipe), daemon=True).start()
    open_pipes = 2
    while open_pipes:
        name, piece = pieces.get()
        if piece:
            yield name, piece
        else:
            open_pipes -= 1


def serve(arguments: Sequence[str]) -> NoReturn:
    """Serve one engine until it goes, printing the port first as the protocol asks."""
    # The engine passes its own address last, after logging flags that only Go programs know.
    host = LanguageHost(next((word for word in reversed(arguments) if word[:1] != "-"), ""))

    def leave(*_: object) -> NoReturn:
        # At once, without winding down gRPC: the engine waits 5 to 10 s for a host that lingers.
        host.stop()
        os._exit(0)

    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, leave)
    watch_parent(leave)
    server = grpc.server(ThreadPoolExecutor(_CALLS_AT_ONCE), options=_UNLIMITED)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    while True:
        signal.pause()


if __name__ == "__main__":
    serve(sys.argv[1:])
