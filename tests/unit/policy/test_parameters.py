from __future__ import annotations

import pytest

from tidegate.policy.parameters import build_parameters
from tidegate.vocabulary.problems import InvalidInput

SCHEMA = {
    "keys": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": ["owner"]},
    "days": {"type": "integer", "minimum": 1, "default": 30},
    "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
    "share": {"type": "number", "default": 0.5},
    "limits": {
        "type": "object",
        "required": ["default"],
        "additionalProperties": {"type": "integer"},
        "default": {"default": 1},
    },
    "exceptions": {
        "type": "array",
        "default": [],
        "items": {
            "type": "object",
            "required": ["owner"],
            "additionalProperties": False,
            "properties": {"owner": {"type": "string"}},
        },
    },
}


def test_defaults_hold_where_nothing_is_given():
    assert build_parameters("R", SCHEMA, {"days": 7}) == {
        "keys": ["owner"],
        "days": 7,
        "mode": "a",
        "share": 0.5,
        "limits": {"default": 1},
        "exceptions": [],
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"key": []}, "key: is no parameter of this rule (did you mean 'keys'?)"),
        ({"keys": "owner"}, "keys = 'owner': has the wrong type; expected a value of type array"),
        ({"keys": [1]}, "keys[0] = 1: has the wrong type"),
        ({"keys": [""]}, "keys[0] = '': is too short"),
        ({"days": 0}, "days = 0: is too small; expected at least 1"),
        ({"days": 1.5}, "days = 1.5: has the wrong type"),
        ({"days": True}, "days = True: has the wrong type"),
        ({"share": "1"}, "share = '1': has the wrong type"),
        ({"mode": "c"}, "mode = 'c': is not allowed; expected one of a, b"),
        ({"limits": {"prod": 1}}, "limits.default: is required and is missing"),
        ({"limits": {"default": "x"}}, "limits.default = 'x': has the wrong type"),
        ({"exceptions": [{}]}, "exceptions[0].owner: is required and is missing"),
        ({"exceptions": [{"owner": "a", "x": 1}]}, "exceptions[0].x: is not known"),
        ({"exceptions": ["a"]}, "exceptions[0] = 'a': has the wrong type"),
    ],
)
def test_what_does_not_fit_is_refused(given, words):
    with pytest.raises(InvalidInput) as caught:
        build_parameters("R", SCHEMA, given)
    assert words in str(caught.value)


def test_whole_floats_fit_integers_since_the_engine_has_no_others():
    assert build_parameters("R", SCHEMA, {"days": 7.0})["days"] == 7


def test_every_problem_is_told_at_once():
    with pytest.raises(InvalidInput) as caught:
        build_parameters("R", SCHEMA, {"days": 0, "mode": "c", "keyz": []})
    assert len(caught.value.problems) == 3


def test_a_rule_without_parameters_takes_none():
    with pytest.raises(InvalidInput, match="expected no parameter"):
        build_parameters("R", {}, {"x": 1})
