"""The checkout's `.venv`: pinned, hashed dependencies and Tidegate itself, editable.

Standard library only: `scripts/setup` runs this before anything is installed.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

Report = Callable[[str], None]

SETS = ("run", "dev")
"""`run`: what `scripts/up` needs. `dev`: all of it, and what the tests and linters need."""

APART = ("polyaxon",)
"""What tests run in environments of their own: their pins contradict the others'."""

POLYAXON_SERVER = "polyaxon-server"
"""The same, and large: only where it is asked for."""

STAMP = "tidegate-setup"
_LAST_LINES = 20

# What pip's settings are called by uv. A setting that is neither here nor harmless makes pip
# install instead, so that nobody's index, proxy or certificate is passed over.
_UV_NAMES = {
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "no-index": "UV_NO_INDEX",
    "proxy": "ALL_PROXY",
    "trusted-host": "UV_INSECURE_HOST",
}
_SECTIONS = ("global", "install", ":env:")  # the later wins
_HARMLESS = {
    *("break-system-packages", "cache-dir", "config-file", "disable-pip-version-check"),
    *(
        "no-cache-dir",
        "no-color",
        "no-input",
        "no-python-version-warning",
        "no-warn-script-location",
    ),
    *("progress-bar", "quiet", "require-virtualenv", "retries", "root-user-action", "timeout"),
    *("default-timeout", "user", "verbose"),
}


class EnvironmentFailed(RuntimeError):
    """The Python environment could not be made; says what the user can do."""


def prepare_environment(
    root: Path, wanted: str, environment: Mapping[str, str], report: Report
) -> None:
    """Create or update `.venv` so that it holds the set `wanted`; do nothing when it does.

    Raises:
        EnvironmentFailed: Python lacks `venv`, or an installation failed.
    """
    venv = root / ".venv"
    stamp = venv / STAMP
    due = compute_stamp(root, wanted)
    if _read(stamp) == due and (venv / "bin" / "python").exists():
        report(f"Python environment is up to date ({wanted})")
        return
    stamp.unlink(missing_ok=True)
    env = _quiet(root, environment)
    _create(venv, env, report)
    python = venv / "bin" / "python"
    _run([python, *_PIP, "--require-hashes", "-r", root / "requirements" / "uv.txt"], env)
    _install(root, python, wanted, env, report)
    keep_bytecode_apart(root, python, env)
    stamp.write_text(due, encoding="utf-8")
    report(f"Python environment is ready ({wanted})")


def prepare_apart(root: Path, name: str, environment: Mapping[str, str], report: Report) -> None:
    """Create or update `.tools/<name>` from `requirements/<name>.txt`; do nothing when it is so.

    For a program that only tests run and whose pins contradict the others'. `.venv` comes first:
    its pip settings and its uv are used.

    Raises:
        EnvironmentFailed: An installation failed.
    """
    venv, pinned = root / ".tools" / name, requirements(root, name)
    if is_apart_current(root, name):
        report(f"{name} is up to date")
        return
    (venv / STAMP).unlink(missing_ok=True)
    env = _quiet(root, environment)
    _create(venv, env, report)
    python = venv / "bin" / "python"
    settings, unknown = read_pip_settings(root / ".venv" / "bin" / "python", env)
    uv = root / ".venv" / "bin" / "uv"
    command: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", python]
    command.append("--require-hashes")
    # What uv does not know of pip's settings, pip takes into account.
    tool: list[str | Path] = [python, *_PIP, "--require-hashes"] if unknown else command
    _run([*tool, "-r", pinned], {**settings, **env})
    (venv / STAMP).write_text(_digest_apart(root, name), encoding="utf-8")
    report(f"{name} is ready, in an environment of its own")


def is_apart_current(root: Path, name: str) -> bool:
    """Say whether `.tools/<name>` holds what its pinned file asks for."""
    return _read(root / ".tools" / name / STAMP) == _digest_apart(root, name)


def _digest_apart(root: Path, name: str) -> str:
    digest = hashlib.sha256(f"{root}\n{sys.version}\n".encode())
    digest.update(requirements(root, name).read_bytes())
    return f"{name} {digest.hexdigest()}\n"


def compute_stamp(root: Path, wanted: str) -> str:
    """Digest everything the environment is made from; the set's name leads, for people."""
    digest = hashlib.sha256(f"{root}\n{sys.version}\n{_render_bytecode_line(root)}".encode())
    for path in (requirements(root, wanted), root / "requirements/uv.txt", root / "pyproject.toml"):
        digest.update(path.read_bytes())
    return f"{wanted} {digest.hexdigest()}\n"


def installed_set(root: Path) -> str | None:
    """Say which set `.venv` holds as of now, or None when it is absent or out of date."""
    held = _read(root / ".venv" / STAMP)
    for name in SETS:
        if held and held == compute_stamp(root, name):
            return name
    return None


def requirements(root: Path, wanted: str) -> Path:
    """The pinned and hashed file of one set."""
    return root / "requirements" / f"{wanted}.txt"


def _create(venv: Path, env: Mapping[str, str], report: Report) -> None:
    if (venv / "bin" / "python").exists() and (venv / "bin" / "pip").exists():
        return
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise EnvironmentFailed(
            f"{sys.executable} cannot create virtual environments (no ensurepip). On Debian or "
            f"Ubuntu: `apt-get install python3-venv` (or python{version}-venv), then run "
            "scripts/setup again."
        )
    report(f"creating {venv}")
    _run([sys.executable, "-m", "venv", "--clear", venv], env)


_PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")


def _install(root: Path, python: Path, wanted: str, env: Mapping[str, str], report: Report) -> None:
    pinned = requirements(root, wanted)
    settings, unknown = read_pip_settings(python, env)
    if unknown:
        report(f"pip's settings {', '.join(unknown)} are not known to uv: installing with pip")
    else:
        report(f"installing {pinned.name} with uv")
        try:
            _install_with_uv(root, python, pinned, {**settings, **env})
        except EnvironmentFailed as error:
            report(f"uv failed, trying pip (slower): {error}")
        else:
            return
    _run([python, *_PIP, "--require-hashes", "-r", pinned], env)
    _run([python, *_PIP, "--no-deps", "--no-build-isolation", "--editable", root], env)


def _install_with_uv(root: Path, python: Path, pinned: Path, env: Mapping[str, str]) -> None:
    uv: list[str | Path] = [python.with_name("uv"), "pip", "install", "--quiet", "--python", python]
    _run([*uv, "--require-hashes", "-r", pinned], env)
    # The build backend is pinned too, and installed above: nothing unpinned is fetched.
    _run([*uv, "--no-deps", "--no-build-isolation", "--editable", root], env)


def keep_bytecode_apart(root: Path, python: Path, env: Mapping[str, str]) -> None:
    """Let commands run by hand find compiled what setup's own runs compiled, in the same place.

    Nothing is written beside sources, so that whoever forbids that (PYTHONDONTWRITEBYTECODE) need
    not compile the clouds' SDKs anew at each start: it takes three seconds.
    """
    folder = _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], env)
    path = Path(folder.strip()) / "tidegate_bytecode.pth"
    path.write_text(_render_bytecode_line(root), encoding="utf-8")


def _render_bytecode_line(root: Path) -> str:
    cache = str(root / ".tidegate" / "cache" / "pycache")
    place = f"sys.pycache_prefix = sys.pycache_prefix or {cache!r}"
    return f"import sys; {place}; sys.dont_write_bytecode = False\n"


def read_pip_settings(
    python: Path, environment: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Read the user's pip settings as uv's variables, and the names uv has no variable for."""
    return translate_pip_settings(_run([python, "-m", "pip", "config", "list"], environment))


def translate_pip_settings(listed: str) -> tuple[dict[str, str], list[str]]:
    """Translate what `pip config list` prints, as `read_pip_settings` returns it."""
    settings: dict[str, str] = {}
    unknown: set[str] = set()
    for name, value in _parse_pip_settings(listed).items():
        if name in _HARMLESS:
            continue
        if name not in _UV_NAMES:
            unknown.add(name)
        elif words := _existing(name, value):
            settings[_UV_NAMES[name]] = words
    if "UV_INDEX" in settings:
        # pip takes the best match over all indexes; every file is pinned by hash all the same.
        settings["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return settings, sorted(unknown)


def _parse_pip_settings(listed: str) -> dict[str, str]:
    """Read `section.name='value'` lines; the environment wins over `[install]` over `[global]`."""
    found: dict[str, tuple[int, str]] = {}
    for line in listed.splitlines():
        key, _, literal = line.partition("=")
        section, _, name = key.strip().rpartition(".")
        if section in _SECTIONS and literal:
            rank = _SECTIONS.index(section)
            value = str(ast.literal_eval(literal.strip()))
            found[name] = max(found.get(name, (-1, "")), (rank, value))
    return {name: value for name, (_, value) in found.items()}


def _existing(name: str, value: str) -> str:
    """Drop folders that are not there from `find-links`: pip warns of them, uv refuses."""
    words = value.split()
    if name == "find-links":
        words = [word for word in words if "://" in word or Path(word).exists()]
    return " ".join(words)


def _quiet(root: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with caches inside the checkout unless the user has some already."""
    environment = {**base, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    for name in ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH"):
        environment.pop(name, None)
    home = Path(base.get("XDG_CACHE_HOME") or Path(base.get("HOME", "/")) / ".cache")
    for variable, folder in (("UV_CACHE_DIR", "uv"), ("PIP_CACHE_DIR", "pip")):
        if variable not in base and not (home / folder).is_dir():
            environment[variable] = str(root / ".tidegate" / "cache" / folder)
    return environment


def _run(command: list[str | Path], environment: Mapping[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - our own Python, fixed arguments
        [str(word) for word in command],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip().splitlines()[-_LAST_LINES:]
        line = " ".join(str(word) for word in command)
        raise EnvironmentFailed(f"`{line}` ended with {done.returncode}:\n  " + "\n  ".join(said))
    return done.stdout


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None
