"""The README's example is taken by the component as it stands there."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from tidegate_components.gpu_node_pool.parse import parse_pool

from tidegate.catalog.load import load_catalog

README = Path(__file__).resolve().parents[2] / "README.md"


def read_example() -> tuple[str, dict[str, Any]]:
    """Return name and arguments of the first component that the README declares."""
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    (call,) = [node for node in calls if ast.unparse(node.func) == "GpuNodePool"]
    name, arguments = (ast.literal_eval(argument) for argument in call.args)
    return name, arguments


def test_the_readmes_pool_is_valid() -> None:
    name, arguments = read_example()
    (pool,) = parse_pool(name, arguments, load_catalog()).to_fragment()["pools"]
    assert (pool["id"], pool["cloud"], pool["accelerator"], pool["maxNodes"]) == (
        "train-h100",
        "gcp",
        "h100-80gb",
        4,
    )
