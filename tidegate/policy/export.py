"""Reader: a stack export (`pulumi stack export`) as a resource graph."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.policy.graph import ResourceGraph
from tidegate.policy.states import build_graph, check_states
from tidegate.vocabulary.problems import refuse


def read_export(where: str, document: object, environment: str = "") -> ResourceGraph:
    """Return the graph of an exported stack: what exists, with the inputs that made it.

    An export knows no unknowns. Resources about to be deleted are left out.

    Args:
        where: What to call the document in a message.
        document: The parsed export.
        environment: The stack's environment; without one, the stack's name stands for it.

    Raises:
        InvalidInput: When the document is no stack export.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("deployment"), Mapping):
        expected = "the output of `pulumi stack export`"
        raise refuse(where, "deployment", None, "is no stack export", expected)
    found = document["deployment"].get("resources") or []
    place = f"{where}: deployment"
    check_states(place, found)
    states = [state for state in found if not state.get("delete")]
    return build_graph(place, states, environment=environment)
