"""`tidegate adopt`: what was made otherwise enters the manifest, and nothing is replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tidegate.catalog.load import load_catalog
from tidegate.cli.adopt_config import add_to_config, read_shared_labels, render_entries
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.manifest.adopt import Adoption, build_adoption, is_declared
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.labels import OPTIONAL_KEYS, REQUIRED_KEYS, check_label_value
from tidegate.vocabulary.observed import ObservedPool
from tidegate.vocabulary.problems import InvalidInput, Problem, Unavailable, suggest

app = typer.Typer(
    help=(
        "Read node pools that were made otherwise, and write the configuration by which they enter "
        "the manifest. Nothing in the cloud is changed."
    ),
    no_args_is_help=True,
    add_completion=False,
)

ClusterOption = Annotated[str, typer.Option("--cluster", help="The cluster's name.")]
PoolOption = Annotated[
    list[str] | None, typer.Option("--pool", help="Only the pool of this name; may be repeated.")
]
ScalerOption = Annotated[
    Scaler | None,
    typer.Option("--scaler", help="Who resizes the pools, where the cloud does not show it."),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", help="A cost label that the pools lack, KEY=VALUE; may be repeated."),
]
WriteOption = Annotated[
    Path | None,
    typer.Option("--write", help="Add the entries to this stack configuration (Pulumi.NAME.yaml)."),
]
LOCAL = "TIDEGATE_LOCAL"
INCOMPLETE_EXIT = 1


@app.command(
    epilog="Example: tidegate adopt eks --cluster train --region us-east-1 --scaler tidegate"
)
def eks(
    cluster: ClusterOption,
    region: Annotated[str, typer.Option("--region", help="The cluster's region.")],
    pool: PoolOption = None,
    scaler: ScalerOption = None,
    label: LabelOption = None,
    write: WriteOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Adopt managed node groups and the Auto Scaling groups whose nodes join the cluster.

    Credentials are boto3's usual ones. Exit code 1 when something is missing from an entry.
    """
    from tidegate.clouds.aws.clients import build_client
    from tidegate.clouds.aws.node_pools import fetch_node_pools

    def fetch() -> list[ObservedPool]:
        eks, scaling, ec2 = (build_client(name, region) for name in ("eks", "autoscaling", "ec2"))
        return fetch_node_pools(eks, scaling, ec2, cluster, region)

    _adopt(f"EKS cluster {cluster} in {region}", fetch, pool, scaler, label, write, output)


@app.command(
    epilog="Example: tidegate adopt gke --cluster train --project acme-ml --location us-central1"
)
def gke(
    cluster: ClusterOption,
    project: Annotated[str, typer.Option("--project", help="The cluster's project.")],
    location: Annotated[str, typer.Option("--location", help="The cluster's region or zone.")],
    pool: PoolOption = None,
    scaler: ScalerOption = None,
    label: LabelOption = None,
    write: WriteOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Adopt the node pools of a GKE cluster.

    Credentials are the application's default ones. Exit code 1 when something is missing.
    """
    from tidegate.clouds.gcp.clients import build_container_client
    from tidegate.clouds.gcp.node_pools import fetch_node_pools

    def fetch() -> list[ObservedPool]:
        with build_container_client(_local_url("GCP")) as client:
            return fetch_node_pools(client, project, location, cluster)

    _adopt(f"GKE cluster {cluster} in {location}", fetch, pool, scaler, label, write, output)


@app.command(
    epilog="Example: tidegate adopt aks --cluster train --resource-group ml --subscription GUID"
)
def aks(
    cluster: ClusterOption,
    resource_group: Annotated[str, typer.Option("--resource-group", help="The cluster's group.")],
    subscription: Annotated[str, typer.Option("--subscription", help="Its subscription's GUID.")],
    pool: PoolOption = None,
    scaler: ScalerOption = None,
    label: LabelOption = None,
    write: WriteOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Adopt the agent pools of mode User of an AKS cluster.

    Credentials are those that azure-identity finds. Exit code 1 when something is missing.
    """
    from tidegate.clouds.azure.clients import build_container_client
    from tidegate.clouds.azure.node_pools import fetch_node_pools

    def fetch() -> list[ObservedPool]:
        with build_container_client(subscription, _local_url("AZURE")) as client:
            return fetch_node_pools(client, subscription, resource_group, cluster)

    _adopt(f"AKS cluster {cluster} in {resource_group}", fetch, pool, scaler, label, write, output)


def _adopt(
    place: str,
    fetch: Callable[[], list[ObservedPool]],
    wanted: Sequence[str] | None,
    scaler: Scaler | None,
    labels: Sequence[str] | None,
    write: Path | None,
    output: OutputFormat,
) -> None:
    given = parse_labels(labels or ())
    found = _select(place, _read(place, fetch), wanted or ())
    declared = [pool.name for pool in found if is_declared(pool)]
    catalog = load_catalog()
    shared = read_shared_labels(write) if write is not None else ()
    adoptions = [
        build_adoption(pool, catalog, scaler=scaler, labels=given, shared=shared)
        for pool in found
        if not is_declared(pool)
    ]
    if write is not None and adoptions:
        add_to_config(write, adoptions)
    if output is OutputFormat.JSON:
        print_json({"pools": [_to_json(each) for each in adoptions], "declared": declared})
    elif write is None:
        typer.echo(render_entries(adoptions), nl=False)
    _explain(place, adoptions, declared, write)
    if any(each.missing for each in adoptions):
        raise typer.Exit(INCOMPLETE_EXIT)


def parse_labels(texts: Sequence[str]) -> dict[str, str]:
    """Return cost labels given as KEY=VALUE.

    Raises:
        InvalidInput: With one problem for each that is none.
    """
    problems: list[Problem] = []
    labels: dict[str, str] = {}
    known = (*REQUIRED_KEYS, *OPTIONAL_KEYS)
    for text in texts:
        key, _, value = text.partition("=")
        if key not in known:
            hint = suggest(key, known)
            expected = f"KEY=VALUE with one of {', '.join(known)}"
            problems.append(Problem("--label", "", repr(text), f"is no cost label{hint}", expected))
        else:
            problems += check_label_value("--label", key, value)
            labels[key] = value
    if problems:
        raise InvalidInput(problems)
    return labels


def _read(place: str, fetch: Callable[[], list[ObservedPool]]) -> list[ObservedPool]:
    """Read the pools; what the cloud refuses is told in its own words."""
    console = Console(stderr=True)
    try:
        if not console.is_terminal:
            return fetch()
        with console.status(f"reading {place}"):
            return fetch()
    except Exception as error:
        if not _is_clouds_own(error):
            raise
        raise Unavailable(f"{place} cannot be read: {error}") from error


def _is_clouds_own(error: Exception) -> bool:
    """Return whether a cloud's SDK raised the error; the SDKs share no class for that."""
    kinds = ("botocore.exceptions", "google.api_core.exceptions", "google.auth", "azure.core")
    return type(error).__module__.startswith(kinds)


def _select(
    place: str, pools: Sequence[ObservedPool], wanted: Sequence[str]
) -> Sequence[ObservedPool]:
    names = [pool.name for pool in pools]
    absent = [name for name in wanted if name not in names]
    if absent:
        expected = f"one of {', '.join(names)}" if names else "a cluster with pools"
        raise InvalidInput(
            [Problem(place, "--pool", repr(name), "is no pool of it", expected) for name in absent]
        )
    return [pool for pool in pools if pool.name in wanted] if wanted else pools


def _explain(
    place: str, adoptions: Sequence[Adoption], declared: Sequence[str], write: Path | None
) -> None:
    for name in declared:
        typer.echo(f"{name}: is declared by a component already", err=True)
    for each in adoptions:
        for note in each.notes:
            typer.echo(f"{each.id}: {note}", err=True)
        if each.missing:
            typer.echo(f"{each.id}: add {', '.join(each.missing)}", err=True)
    count = f"{len(adoptions)} pool{'' if len(adoptions) == 1 else 's'}"
    where = f", added to {write}" if write is not None and adoptions else ""
    typer.echo(f"{place}: {count} to adopt{where}", err=True)


def _to_json(adoption: Adoption) -> dict[str, Any]:
    return {
        "id": adoption.id,
        "entry": adoption.entry,
        "missing": list(adoption.missing),
        "notes": list(adoption.notes),
    }


def _local_url(cloud: str) -> str:
    """Return where the local clouds answer, in a shell that `tidegate local env` prepared."""
    return os.environ.get(f"TIDEGATE_LOCAL_{cloud}_URL", "") if LOCAL in os.environ else ""
