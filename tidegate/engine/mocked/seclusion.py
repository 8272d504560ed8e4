"""No network for what runs here: a program is checked by what it says, not by what it reaches."""

from __future__ import annotations

import sys
from typing import Any


class NeedsNetwork(OSError):
    """The program wanted to reach something while it ran under mocks."""


_reached: list[str] = []


def forbid_network() -> None:
    """Refuse every look-up and connection of this process from now on. It cannot be undone."""
    sys.addaudithook(_refuse)


def reached() -> tuple[str, ...]:
    """Return what the program wanted to reach, first wish first."""
    return tuple(_reached)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        _say(str(arguments[0]))
    elif event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        # A path is a socket of this machine; asyncio uses pairs of them.
        if isinstance(address, tuple):
            _say(str(address[0]))


def _say(host: str) -> None:
    _reached.append(host)
    raise NeedsNetwork(f"no network while a program is checked: it wanted to reach {host}")
