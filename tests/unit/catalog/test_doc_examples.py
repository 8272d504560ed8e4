"""The examples of docs/catalog.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import Availability
from tidegate.vocabulary.money import Price

PAGE = Path(__file__).resolve().parents[3] / "docs" / "catalog.md"


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def test_the_overlay_of_the_page_is_read_and_answers(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(block("yaml"), encoding="utf-8")
    catalog = load_catalog(path)
    price = catalog.price("aws", "mx-central-1", "p9.48xlarge", "on-demand")
    assert isinstance(price, Price)
    assert (str(price.per_hour), price.negotiated) == ("61.00 USD", True)
    assert set(catalog.rates) == {"EUR"}
    assert str(catalog.spot_assumption.ratio) == "0.38"


def test_the_code_of_the_page_answers_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prices.yaml").write_text(block("yaml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines = block("python").splitlines()
    names: dict[str, object] = {"Availability": Availability, "Price": Price}
    checked = 0
    for line in lines:
        code, _, said = (part.strip() for part in line.partition("  #"))
        exec(code, names)
        if said and " or " not in said:
            assert eval(f"({code}) == ({said})", names), line
            checked += 1
    assert checked == 3


def test_the_page_names_the_real_ratio_and_regions() -> None:
    catalog = load_catalog()
    text = PAGE.read_text(encoding="utf-8")
    assert f"assumed: {catalog.spot_assumption.ratio} of on-demand" in text
    assert f"{len(catalog.offering_table.regions)} regions of the record" in text
    for cloud in ("gcp", "azure"):
        assert f"{len(catalog.regions(cloud))} regions" in text
