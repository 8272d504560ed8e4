"""Reader: a program that ran under mocks as a resource graph."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.policy.graph import ResourceGraph
from tidegate.policy.states import build_graph
from tidegate.vocabulary.problems import refuse

FORMAT = "tidegate/collected/v1"


def read_collected(where: str, document: object, environment: str = "") -> ResourceGraph:
    """Return the graph of what a program registered.

    Nothing exists yet as far as a program can tell, so what providers compute is unknown. The
    program does not say what providers would refuse.

    Args:
        where: What to call the program in a message.
        document: What the collecting process wrote: `format`, `config` and `resources`, each
            resource in the form of a stack export's.
        environment: The stack's environment; without one the configuration says it.

    Raises:
        InvalidInput: When the document is none.
    """
    expected = f"what the collecting process writes ({FORMAT})"
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise refuse(where, "format", None, "is no collected program", expected)
    states, config = document.get("resources"), document.get("config")
    if not isinstance(states, list) or not isinstance(config, Mapping):
        raise refuse(where, "resources", None, "is no list of resources", expected)
    return build_graph(where, states, environment=environment, config=config)
