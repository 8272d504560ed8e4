"""Values that only a cloud knows, given to a program that asks for them while it runs.

A text can be passed on and written into other texts: it is the engine's own word for "not known
yet", which every reader recognises. Anything else can be passed on too, but a program that looks
into it (counts a list, compares a number) would be checked on something invented, so looking is
refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pulumi import _types
from pulumi.output import Unknown
from pulumi.runtime import rpc


class NotKnownHere(RuntimeError):
    """The program decides by what a provider function or another stack answers."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        # A program, or a task that nobody awaits, may swallow it; what follows is invented then.
        refusals.append(self)


refusals: list[NotKnownHere] = []
"""Every refusal of this process, first one first."""

_SDK = Path(rpc.__file__).resolve().parents[2]


def unseen_result(token: str, result_type: type | None) -> Any:
    """Return what a provider function answers, of which nothing is known.

    Raises:
        NotKnownHere: When the SDK does not say what the function answers.
    """
    if result_type is None:
        raise NotKnownHere(_explain(token, ""))
    kinds = _types.output_type_types(result_type)
    names = {pulumi: python for python, pulumi, _ in _types._py_properties(result_type)}  # noqa: SLF001
    values = {python: _unseen(token, python, kinds.get(pulumi)) for pulumi, python in names.items()}
    return result_type(**values)


def _unseen(token: str, name: str, kind: Any) -> Any:
    if kind is str:
        return rpc.UNKNOWN
    origin = getattr(kind, "__origin__", kind)
    if origin is bool:
        made: Any = UnseenFlag()
    elif isinstance(origin, type) and issubclass(origin, (int, float)):
        made = UnseenNumber()
    elif isinstance(origin, type) and (issubclass(origin, Mapping) or hasattr(origin, "get")):
        made = UnseenMap()
    else:
        made = UnseenList()
    made.place = (token, name)
    return made


def _explain(token: str, name: str) -> str:
    what = f"{token} answers as {name!r}" if name else f"{token} answers"
    return f"the program decides by what {what}, which only the cloud knows"


def _asked_by_program(frame: Any) -> bool:
    return not Path(frame.f_code.co_filename).resolve().is_relative_to(_SDK)


def _refusing(name: str) -> Callable[..., Any]:
    def look(self: Any, *_arguments: Any, **_options: Any) -> Any:
        raise NotKnownHere(_explain(*self.place))

    look.__name__ = name
    return look


def _truth(self: Any) -> bool:
    # The SDK's own constructors ask for the truth of a value before they look at its type.
    if _asked_by_program(sys._getframe(1)):  # noqa: SLF001
        raise NotKnownHere(_explain(*self.place))
    return not isinstance(self, UnseenFlag)


_LOOKS = ("__iter__", "__len__", "__getitem__", "__contains__", "__eq__", "__ne__", "__add__")
_MAP_LOOKS = (*_LOOKS[:-1], "get", "items", "keys", "values", "__getattr__")
_NUMBER_LOOKS = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__sub__"),
    *("__mul__", "__truediv__", "__floordiv__", "__int__", "__float__", "__index__", "__str__"),
    *("__radd__", "__rsub__", "__rmul__", "__repr__", "__format__"),
)


def _unseen_class(name: str, base: type, looks: tuple[str, ...]) -> type:
    body: dict[str, Any] = {look: _refusing(look) for look in looks}
    bases = (Unknown,) if base is Unknown else (base, Unknown)
    return type(name, bases, {**body, "__bool__": _truth, "__hash__": object.__hash__})


UnseenList = _unseen_class("UnseenList", list, _LOOKS)
UnseenMap = _unseen_class("UnseenMap", dict, _MAP_LOOKS)
UnseenNumber = _unseen_class("UnseenNumber", int, _NUMBER_LOOKS)
UnseenFlag = _unseen_class("UnseenFlag", Unknown, ("__eq__", "__ne__", "__str__", "__repr__"))
