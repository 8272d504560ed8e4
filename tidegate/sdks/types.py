"""The nested types of a provider SDK, made one by one when they are first asked for.

`pulumi_gcp.compute` defines some two thousand input types in one file, and as many outputs; a
program meets a few dozen. A file's compiled code is read when somebody asks for one of its
classes, and only that class is made of it. Annotations name classes in quotes, which are looked
up late and among the built-in names last: `LateNames` are built-in names that know the rest.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypedDict

import pulumi

NAMES = ("_enums", "_inputs", "outputs")
"""The modules of a package that hold nested types."""

_MAKING = threading.RLock()
_HEAD = 4096
_END_OF_HEAD = "\n__all__ = ["


class TypesModule(ModuleType):
    """A module whose classes are made when they are first asked for."""

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name)
        self.__file__ = str(path)
        self.__package__ = name.rpartition(".")[0]

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return list(self._bodies)
        with _MAKING:  # two threads would make two classes of one
            body = None if name.startswith("__") else self._bodies.get(name)
            if body is None:
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
            if name not in self.__dict__:
                self._make(name, body)
        return self.__dict__[name]

    @cached_property
    def _code(self) -> CodeType:
        path = str(self.__file__)
        code = importlib.machinery.SourceFileLoader(self.__name__, path).get_code(self.__name__)
        if code is None:
            raise ImportError(f"{path} has no code", name=self.__name__, path=path)
        return code

    @cached_property
    def _bodies(self) -> Mapping[str, CodeType]:
        constants = self._code.co_consts
        return {body.co_name: body for body in constants if isinstance(body, CodeType)}

    def _make(self, name: str, body: CodeType) -> None:
        """Make one class as its statement in the file does; enumerations come all at once."""
        build: Any = builtins.__build_class__
        function = FunctionType(body, self.__dict__, name)
        if self.__name__.endswith("_enums"):
            exec(self._code, self.__dict__)  # noqa: S102 - the SDK's own file, as an import runs it
        elif self.__name__.endswith("outputs"):
            self.__dict__[name] = pulumi.output_type(build(function, name, dict))
        elif name.endswith("ArgsDict"):
            self.__dict__[name] = build(function, name, TypedDict)
        else:
            self.__dict__[name] = pulumi.input_type(build(function, name))


class LateNames(dict[str, Any]):
    """Python's built-in names, and after them every class of a package's nested types."""

    def __init__(self, modules: list[TypesModule]) -> None:
        super().__init__(vars(builtins))
        self._modules = modules

    def __missing__(self, name: str) -> Any:
        for module in self._modules:
            found = getattr(module, name, None)
            if found is not None:
                return found
        raise KeyError(name)


class PackageTypes:
    """The nested types of one package.

    Args:
        package: the package's name, as "pulumi_gcp.compute"
        folder: where its files are
    """

    def __init__(self, package: str, folder: Path) -> None:
        self._modules: list[TypesModule] = []
        self._names = LateNames(self._modules)
        heads: list[tuple[TypesModule, str]] = []
        for name in NAMES:
            full_name, path = f"{package}.{name}", folder / f"{name}.py"
            present = sys.modules.get(full_name)
            if isinstance(present, TypesModule):
                self._modules.append(present)
            elif present is None and (head := _read_head(path)):
                module = TypesModule(full_name, path)
                sys.modules[full_name] = module
                self._modules.append(module)
                heads.append((module, head))
        # A head imports its siblings: all have to be there before one runs.
        with self.hidden():
            for module, head in heads:
                exec(compile(head, str(module.__file__), "exec"), module.__dict__)  # noqa: S102 - the SDK's own file
                self.tell(module)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Let `import *` find no class meanwhile: what it brings in would have to be made."""
        for module in self._modules:
            module.__dict__["__all__"] = ()
        try:
            yield
        finally:
            for module in self._modules:
                del module.__dict__["__all__"]

    def tell(self, module: ModuleType) -> None:
        """Let the annotations of a module find the classes that `import *` did not bring in."""
        if self._modules:
            module.__dict__["__builtins__"] = self._names


def _read_head(path: Path) -> str:
    """Return what a file does before its classes; "" unless it begins as the generator writes."""
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8") as file:
        head, _, rest = file.read(_HEAD).partition(_END_OF_HEAD)
    return head if rest else ""
