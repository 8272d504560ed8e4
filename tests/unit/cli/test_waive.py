from __future__ import annotations

from datetime import date

import pytest
import yaml

URN = "urn:pulumi:dev::recorded::aws:s3/bucket:Bucket::bare"
REST = ("--owner", "ml", "--reason", "why: it moves", "--expires", "2999-01-31")


@pytest.fixture
def waive(tidegate, tmp_path):
    """Return what adds a waiver to a file: (exit code, message)."""

    def run(rule="TG-LBL-001", urn=URN, rest=REST):
        code, out, err = tidegate("waive", rule, urn, *rest, "--file", tmp_path / "waivers.yaml")
        return code, out + err

    return run


def test_a_waiver_is_written_and_then_holds(waive, tidegate, export_of, tmp_path):
    code, said = waive()
    assert code == 0
    assert f"waives TG-LBL-001 for {URN} until 2999-01-31" in said
    assert yaml.safe_load((tmp_path / "waivers.yaml").read_text()) == {
        "waivers": [
            {
                "rule": "TG-LBL-001",
                "urn": URN,
                "owner": "ml",
                "reason": "why: it moves",
                "expires": date(2999, 1, 31),
            }
        ]
    }
    export = export_of(tmp_path / "e.json", URN)
    waivers = ("--waivers", tmp_path / "waivers.yaml")
    assert tidegate("check", "--export", export, *waivers)[0] == 0


@pytest.mark.parametrize("indent", ["", "  "])
def test_what_people_wrote_in_the_file_stays(waive, tmp_path, indent):
    file = tmp_path / "waivers.yaml"
    written = (
        f"# ours\nwaivers:\n{indent}- rule: TG-SCL-001  # agreed\n{indent}  urn: {URN}\n"
        f"{indent}  owner: a\n{indent}  reason: b\n{indent}  expires: 2999-01-01\n"
    )
    file.write_text(written)
    assert waive()[0] == 0
    text = file.read_text()
    assert text.startswith(written)
    assert [each["rule"] for each in yaml.safe_load(text)["waivers"]] == [
        "TG-SCL-001",
        "TG-LBL-001",
    ]


def test_the_same_waiver_twice_is_refused(waive):
    waive()
    assert waive() == (2, waive()[1])
    assert "is waived already, until 2999-01-31" in waive()[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rule": "TG-LBL-01"}, "is no rule (did you mean 'TG-LBL-001'?)"),
        ({"urn": "bare"}, "is no URN"),
        ({"urn": "urn:pulumi:*"}, "would waive the rule everywhere"),
        ({"rest": (*REST[:-1], "2020-01-01")}, "is over already"),
        ({"rest": (*REST[:-1], "soon")}, "is no day"),
        ({"rest": ("--owner", " ", *REST[2:])}, "owner: is missing"),
    ],
)
def test_what_would_not_hold_is_not_written(waive, tmp_path, changed, said):
    code, message = waive(**changed)
    assert code == 2
    assert said in message
    assert not (tmp_path / "waivers.yaml").exists()
