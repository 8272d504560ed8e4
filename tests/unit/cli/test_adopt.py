from __future__ import annotations

import pytest
import yaml

from tidegate.cli.adopt import parse_labels
from tidegate.cli.adopt_config import add_to_config, read_shared_labels, render_entries
from tidegate.manifest.adopt import Adoption
from tidegate.vocabulary.problems import InvalidInput

ONE = Adoption("train-a100", {"cloud": "aws", "zones": ["us-east-1a"], "maxNodes": 4})
TWO = Adoption("train-l4", {"cloud": "gcp", "labels": {"owner": "ml"}})

CONFIG = """\
# The production stack.
config:
  tidegate:environment: prod  # every label carries it
  tidegate:labels:
    owner: ml-platform
  # Pools follow.
  tidegate:pools: {}
"""


def add(tmp_path, text, *adoptions):
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text(text)
    add_to_config(path, adoptions)
    return path.read_text()


def test_entries_are_printed_as_configuration():
    assert yaml.safe_load(render_entries([ONE, TWO])) == {
        "tidegate:existingPools": {"train-a100": ONE.entry, "train-l4": TWO.entry}
    }
    assert render_entries([]) == ""


def test_entries_are_added_and_every_comment_stays(tmp_path):
    text = add(tmp_path, CONFIG, ONE)

    assert text.startswith(CONFIG)
    assert yaml.safe_load(text)["config"]["tidegate:existingPools"] == {"train-a100": ONE.entry}


def test_entries_join_those_that_are_there(tmp_path):
    text = add(tmp_path, add(tmp_path, CONFIG, ONE), TWO)

    found = yaml.safe_load(text)["config"]["tidegate:existingPools"]
    assert found == {"train-a100": ONE.entry, "train-l4": TWO.entry}


def test_what_stands_behind_the_configuration_stays_there(tmp_path):
    text = add(tmp_path, CONFIG + "\nencryptionsalt: v1:abc\n", ONE)

    document = yaml.safe_load(text)
    assert document["encryptionsalt"] == "v1:abc"
    assert "train-a100" in document["config"]["tidegate:existingPools"]


def test_an_entry_is_never_overwritten(tmp_path):
    text = add(tmp_path, CONFIG, ONE)
    path = tmp_path / "Pulumi.prod.yaml"

    with pytest.raises(InvalidInput, match="train-a100: is there already"):
        add_to_config(path, [ONE])

    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("config: {tidegate:environment: prod}\n", "cannot be added to as text"),
        ("config:\n    tidegate:environment: prod\n", "is no YAML|cannot be added to as text"),
        ("runtime: python\n", "is missing"),
        ("config: [\n", "is no YAML"),
    ],
    ids=["flow style", "other indent", "no configuration", "no YAML"],
)
def test_a_file_that_text_cannot_be_added_to_stays_as_it_is(tmp_path, text, says):
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text(text)

    with pytest.raises(InvalidInput, match=says):
        add_to_config(path, [ONE])

    assert path.read_text() == text


def test_labels_that_the_stack_gives_are_known(tmp_path):
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text(CONFIG)

    assert read_shared_labels(path) == {"environment", "owner"}


def test_labels_are_read_from_the_command_line():
    assert parse_labels(["owner=ml", "team=red"]) == {"owner": "ml", "team": "red"}


def test_every_wrong_label_of_the_command_line_is_told_at_once():
    with pytest.raises(InvalidInput) as caught:
        parse_labels(["ownr=ml", "cost-center=CC 1"])

    reasons = [problem.reason for problem in caught.value.problems]
    assert reasons == [
        "is no cost label (did you mean 'owner'?)",
        "is not a valid cost label value",
    ]
