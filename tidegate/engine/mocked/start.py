"""Run by path in the program's interpreter: `python start.py REQUEST.json RESULT.json`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

_NAME = "tidegate_mocked"


def main() -> int:
    """Load the neighbours of this file under a name of their own and run the program."""
    folder = Path(__file__).resolve().parent
    # They are no modules of the program: it may have a `monitor` of its own.
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)
    return int(importlib.import_module(f"{_NAME}.run").main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
