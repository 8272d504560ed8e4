"""An unreadable state is replaced by the newest copy that can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidegate.engine.state_files import StateLost, has_copies, restore_state

GOOD = json.dumps({"version": 3, "checkpoint": {"stack": "dev", "latest": None}})


@pytest.fixture
def current(tmp_path: Path) -> Path:
    path = tmp_path / ".pulumi" / "stacks" / "p" / "dev.json"
    path.parent.mkdir(parents=True)
    return path


def history(state: Path, moment: str, text: str) -> Path:
    path = state / ".pulumi" / "history" / "p" / "dev" / f"dev-{moment}.checkpoint.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("damage", ["", GOOD[:20], "[]", '{"version": 3}', "\0" * 50])
def test_takes_the_backup_and_keeps_what_was_damaged(
    tmp_path: Path, current: Path, damage: str
) -> None:
    current.write_text(damage)
    backup = current.with_name("dev.json.bak")
    backup.write_text(GOOD)

    restored = restore_state(tmp_path, "p", "dev")

    assert current.read_text() == GOOD
    assert (restored.source, restored.is_latest) == (backup, True)
    assert restored.damaged is not None
    assert restored.damaged.read_text() == damage


def test_takes_the_newest_readable_of_the_history_and_says_what_that_means(
    tmp_path: Path, current: Path
) -> None:
    current.write_text("{")
    current.with_name("dev.json.bak").write_text("{")
    history(tmp_path, "1796039352970896019", GOOD)
    newer = history(tmp_path, "1796039370616320362", GOOD.replace("dev", "newer"))
    history(tmp_path, "1796039863178940873", "{")

    restored = restore_state(tmp_path, "p", "dev")

    assert restored.source == newer
    assert "what was created since may not be recorded" in restored.sentences()[-1]


def test_a_state_with_damaged_attributes_is_kept(tmp_path: Path, current: Path) -> None:
    current.write_text(GOOD)
    attributes = current.with_name("dev.json.attrs")
    attributes.write_text("")

    restored = restore_state(tmp_path, "p", "dev")

    assert (restored.source, restored.damaged) == (current, None)
    assert current.read_text() == GOOD
    assert not attributes.exists()


def test_each_damaged_state_is_kept(tmp_path: Path, current: Path) -> None:
    current.with_name("dev.json.bak").write_text(GOOD)
    for number in (1, 2):
        current.write_text("{" * number)
        restored = restore_state(tmp_path, "p", "dev")
        assert restored.damaged == current.with_name(f"dev.json.damaged-{number}")


def test_says_what_was_tried_when_nothing_can_be_read(tmp_path: Path, current: Path) -> None:
    current.write_text("{")
    with pytest.raises(StateLost, match="there is none"):
        restore_state(tmp_path, "p", "dev")
    assert current.read_text() == "{"


def test_a_stack_that_vanished_has_copies_only_if_its_backup_is_readable(
    tmp_path: Path, current: Path
) -> None:
    assert not has_copies(tmp_path, "p", "dev")
    current.with_name("dev.json.bak").write_text(GOOD)
    assert has_copies(tmp_path, "p", "dev")
    current.write_text(GOOD)
    assert not has_copies(tmp_path, "p", "dev")
