"""What is declared, each bound to what its cloud calls it when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind

Binding = Mapping[str, str]
Declared = TypeVar("Declared")
Made = TypeVar("Made")


class BoundOnce(Generic[Declared, Made]):
    """Binds each by its name; what was bound is kept."""

    def __init__(
        self,
        declared: Mapping[str, Declared],
        bindings: Mapping[str, Binding],
        bind: Callable[[str, Declared, Binding], Made],
    ) -> None:
        """Bind nothing yet.

        Args:
            declared: Name → as the manifest has it.
            bindings: Name → what names it in its cloud's API.
            bind: Binds one; raises CloudRefused, or KeyError for what its binding lacks, or
                ValueError for what no client takes.
        """
        self._declared = declared
        self._bindings = bindings
        self._bind = bind
        self._made: dict[str, Made] = {}
        # One each: a cloud that is slow to answer delays no other's first look.
        self._locks = {name: threading.Lock() for name in declared}

    def find(self, name: str) -> Made:
        """Return what a name is bound to.

        Raises:
            CloudRefused: Nothing says what it is called, or it cannot be bound.
        """
        declared, binding = self._declared.get(name), self._bindings.get(name)
        if declared is None or not binding:
            text = f"nothing in the stack's bindings says what {name} is called in its cloud"
            raise CloudRefused(RefusalKind.NOT_FOUND, text)
        with self._locks[name]:
            if name not in self._made:
                self._made[name] = self._try(name, declared, binding)
            return self._made[name]

    def _try(self, name: str, declared: Declared, binding: Binding) -> Made:
        try:
            return self._bind(name, declared, binding)
        except KeyError as missing:
            text = f"the binding of {name} lacks {missing}"
            raise CloudRefused(RefusalKind.NOT_FOUND, text) from missing
        except ValueError as error:
            raise CloudRefused(RefusalKind.NOT_FOUND, f"{name} cannot be bound: {error}") from error
