"""The examples of the component pages, run as they are written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "components").glob("*.md"))


@pytest.mark.parametrize("page", [p for p in PAGES if p.stem != "index"], ids=lambda p: p.stem)
def test_the_example_of_each_page_declares_its_component(record, page):
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)

    recording = record(lambda: exec(code, {}))

    component = "".join(part.capitalize() for part in page.stem.split("-"))
    assert recording.one(f"tidegate:index:{component}").name in recording.outputs


def test_every_component_has_a_page():
    import tidegate_components

    pages = {"".join(part.capitalize() for part in page.stem.split("-")) for page in PAGES}
    assert set(tidegate_components.__all__) <= pages


def test_the_table_of_resource_types_says_what_the_code_declares():
    tool = Path(__file__).resolve().parents[2] / "tools" / "docs" / "component_table.py"

    checked = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stdout
