"""Where a review's inputs lie: stacks in files or a backend, use and charges in CSV or Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.instruments import InstrumentOffer
from tidegate.cli.local_pulumi import LOCAL_PASSPHRASE, backend_url, home_directory
from tidegate.cli.text_files import open_text, read_text
from tidegate.engine.isolation import state_directory
from tidegate.engine.stack import PulumiFailed, StackRunner
from tidegate.engine.toolchain import find_toolchain
from tidegate.manifest.bindings import read_bound_commitments
from tidegate.manifest.model import Manifest
from tidegate.manifest.read import read_manifest_text
from tidegate.review.charge_rows import ChargeReader
from tidegate.review.charges import Charges
from tidegate.review.commitments import ReviewInputs
from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import parse_usage_csv
from tidegate.review.used_hours import UsedHours
from tidegate.vocabulary.problems import InvalidInput, refuse

PARQUET = (".parquet", ".pq")
PULUMI_HOME = "PULUMI_HOME"
COMMAND = "tidegate review"


@dataclass(frozen=True, slots=True)
class Backend:
    """Where stacks that are named, not given as files, are read.

    Attributes:
        project: The folder with Pulumi.yaml.
        url: Where their state lies; empty for what `tidegate up` made in the project.
    """

    project: Path
    url: str = ""


@dataclass(slots=True)
class Stacks:
    """What stacks declare, what clouds call it, and which could not be read."""

    manifests: list[Manifest] = field(default_factory=list)
    bound: dict[str, str] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)

    def add(self, where: str, text: str) -> None:
        """Take what a stack put out; what cannot be read is remarked."""
        try:
            self.manifests.append(read_manifest_text(where, text))
        except InvalidInput as error:
            self.leave_out(where, "; ".join(each.reason for each in error.problems[:3]))
            return
        self.bound |= read_bound_commitments(text)

    def leave_out(self, where: str, reason: str) -> None:
        """Say that a stack cannot be read."""
        consequence = "what it declares is not known, and its pools count as undeclared"
        self.remarks.append(Remark(where, f"cannot be read: {reason}", consequence))


def read_inputs(
    usage: Path | None,
    charges: Sequence[Path],
    files: Sequence[Path],
    names: Sequence[str],
    backend: Backend,
) -> ReviewInputs:
    """Return everything that a review looks at.

    Args:
        usage: Hourly use; taken from the charges where None.
        charges: FOCUS charges.
        files: What stacks put out.
        names: Stacks to be read from the backend.
        backend: Where these lie.

    Raises:
        InvalidInput: Neither use nor charges, or one of their files cannot be taken.
    """
    if usage is None and not charges:
        expected = "hourly use, charges, or both; `tidegate review sample` makes use to try with"
        raise refuse(COMMAND, "--usage", None, "neither use nor charges are given", expected)
    stacks = read_stacks(files, names, backend)
    remarks = list(stacks.remarks)
    billed, charge_remarks = read_charges(charges)
    remarks += charge_remarks
    if usage is not None:
        where = str(usage)
        used, usage_remarks = read_usage(usage)
        remarks += usage_remarks
    else:
        assert billed is not None
        where, used = ", ".join(str(path) for path in charges), billed.used
        if not used.series:
            raise _refuse_charges(where, billed, charge_remarks)
        message = "are all that tells of use"
        consequence = "hours of nodes are those that were billed; idle nodes count as used"
        remarks.append(Remark("charges", message, consequence))
    return ReviewInputs(where, used, stacks.manifests, billed, stacks.bound, remarks)


def _refuse_charges(where: str, billed: Charges, remarks: Sequence[Remark]) -> InvalidInput:
    """Return why charges tell of no use, which they alone were to tell of."""
    said = "".join(f"; {each.message}" for each in remarks)
    reason = f"has no hourly charge of a node of a pool among {billed.rows} charges{said}"
    expected = "charges tagged capacity-pool that count hours of nodes, or --usage beside them"
    return refuse(where, "", None, reason, expected)


def read_stacks(files: Iterable[Path], names: Sequence[str], backend: Backend) -> Stacks:
    """Return what stacks declare; one that cannot be read is said, and the others go on."""
    stacks = Stacks()
    for path in files:
        try:
            stacks.add(str(path), read_text(path))
        except InvalidInput as error:
            stacks.leave_out(str(path), "; ".join(each.reason for each in error.problems))
    if names:
        runner = build_reader(backend)
        for name in names:
            try:
                stacks.add(f"stack {name}", json.dumps(runner.outputs(name)))
            except PulumiFailed as error:
                stacks.leave_out(f"stack {name}", " ".join(error.text.split()))
    if not files and not names:
        consequence = "use is reviewed as if nothing were declared"
        stacks.remarks.append(Remark("the review", "was given no stack", consequence))
    return stacks


def build_reader(backend: Backend) -> StackRunner:
    """Return what asks the Pulumi CLI for outputs; of the local clouds where no URL is given.

    Raises:
        InvalidInput: No project, or the backend is one of the local clouds.
        ToolMissing: No Pulumi CLI.
    """
    root = backend.project.resolve()
    state_dir = root / ".tidegate"
    local = backend_url(state_dir)
    is_local = not backend.url or state_directory(backend.url) == state_directory(local)
    if is_local and not (state_dir / "pulumi" / "state").is_dir():
        expected = "`tidegate up` first, or --backend for stacks of your own"
        raise refuse(COMMAND, "--backend", None, f"{root} has no local stacks", expected)
    return StackRunner(
        root,
        home_directory(state_dir) if is_local else _pulumi_home(),
        local if is_local else backend.url,
        dict(os.environ),
        find_toolchain(root),
        passphrase=LOCAL_PASSPHRASE if is_local else None,
        local=is_local,
    )


def _pulumi_home() -> Path:
    return Path(os.environ.get(PULUMI_HOME) or Path.home() / ".pulumi")


def read_usage(path: Path) -> tuple[UsedHours, list[Remark]]:
    """Return hourly use from a CSV or Parquet file.

    Raises:
        InvalidInput: The file cannot be taken.
    """
    if path.suffix.lower() in PARQUET:
        from tidegate.cli.parquet_files import read_usage_parquet

        return read_usage_parquet(_require_file(path))
    with open_text(path) as lines:
        return parse_usage_csv(str(path), lines)


def read_charges(paths: Sequence[Path]) -> tuple[Charges | None, list[Remark]]:
    """Return the charges of all files together; None where there is no file.

    Raises:
        InvalidInput: A file cannot be taken.
    """
    if not paths:
        return None, []
    reader = ChargeReader()
    for path in paths:
        if path.suffix.lower() in PARQUET:
            from tidegate.cli.parquet_files import read_charges_parquet

            read_charges_parquet(_require_file(path), reader)
        else:
            with open_text(path) as lines:
                reader.read_csv(str(path), lines)
    return reader.finish()


def read_quotes(path: Path, catalog: Catalog) -> tuple[InstrumentOffer, ...]:
    """Return a team's own quotes.

    Raises:
        InvalidInput: The file is no YAML, or no quotes.
    """
    import yaml

    from tidegate.review.quotes import parse_quotes

    try:
        document = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise refuse(str(path), "", None, f"is no YAML ({error})", "a file of quotes") from error
    if not isinstance(document, Mapping):
        raise refuse(str(path), "", None, "holds no mapping", "a list under `quotes`")
    # YAML reads 0.3 as a binary fraction; its shortest text is what was written.
    plain = json.loads(json.dumps(document, default=str), parse_float=str)
    return parse_quotes(str(path), plain, catalog.instruments)


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise refuse(str(path), "", None, "cannot be read (no such file)", "a file")
    return path
