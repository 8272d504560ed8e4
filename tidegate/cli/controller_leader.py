"""Who leads when it is not the database that says so: `--leader kubernetes:NAMESPACE/NAME`."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

import typer

from tidegate.cli.controller_options import explain_lacking, open_state
from tidegate.vocabulary.problems import Unavailable, refuse
from tidegate.vocabulary.reports import SourceFault

LeaderOption = Annotated[
    str,
    typer.Option(
        "--leader",
        envvar="TIDEGATE_LEADER",
        # No brackets: Rich would take them for markup.
        help="kubernetes:NAMESPACE/NAME, or the same with @CONTEXT: a Lease says who leads.",
    ),
]
FORM = "kubernetes:NAMESPACE/NAME, or kubernetes:NAMESPACE/NAME@CONTEXT of a kubeconfig"
_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_PATTERN = re.compile(
    rf"kubernetes:(?P<namespace>{_LABEL})/(?P<name>{_LABEL}(?:\.{_LABEL})*)(?:@(?P<context>.+))?"
)


def open_led_state(url: str, leader: str) -> Any:
    """Return the state in a database, led by the lease that is named, or by itself without one.

    Raises:
        InvalidInput: The leader has another form.
        Unavailable: The database does not answer, or no kubeconfig has the context.
    """
    if not leader:
        return open_state(url)
    named = _PATTERN.fullmatch(leader)
    if named is None:
        raise refuse("controller", "--leader", leader, "names no lease", FORM)
    try:
        from tidegate.sources.kubernetes import IN_CLUSTER, build_api
        from tidegate.sources.lease import KubernetesLease
        from tidegate.state.database import open_database
        from tidegate.state.elected import ElectedStore
    except ModuleNotFoundError as error:
        raise explain_lacking(error) from error
    # Kubernetes tells each pod there where its API server is.
    own = IN_CLUSTER if "KUBERNETES_SERVICE_HOST" in os.environ else None
    try:
        api = build_api(named["context"] or own)
    except SourceFault as fault:
        raise Unavailable(f"--leader {leader}: {fault}") from fault
    return ElectedStore(open_database(url), KubernetesLease(api, named["namespace"], named["name"]))
