"""A program that dies at any step: nothing of it runs after that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Killed(BaseException):
    """Stands for kill -9: nothing of the program runs after it."""


@dataclass
class Death:
    """Comes after so many steps."""

    left: int

    def knock(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed


class Mortal:
    """Passes calls on, and dies before or after one of them."""

    def __init__(self, port: Any, death: Death) -> None:
        self._port, self._death = port, death

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._port, name)
        if not callable(call):
            return call

        def passed(*arguments: Any) -> Any:
            self._death.knock()
            result = call(*arguments)
            self._death.knock()
            return result

        return passed
