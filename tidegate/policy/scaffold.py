"""A new rule as text: rule, Rego tests, cases and page, whole and passing from the first moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.policy.rule_set import RULE_ID, RuleSet
from tidegate.vocabulary.problems import refuse

_NAME = re.compile(r"[a-z][a-z0-9_]{2,47}")


@dataclass(frozen=True, slots=True)
class NewRule:
    """What a new rule is called.

    Attributes:
        id: Its id, such as TG-STO-007.
        category: The folder of its kind.
        name: Its own folder.
        title: A few words.
        type: The resource type of its examples.
        asks: The property that it asks for until somebody writes what it should ask.
    """

    id: str
    category: str
    name: str
    title: str
    type: str = "aws:s3/bucket:Bucket"
    asks: str = "forceDestroy"

    @property
    def path(self) -> str:
        """`category/name`."""
        return f"{self.category}/{self.name}"


def name_rule(
    rules: RuleSet, id: str, category: str = "", name: str = "", title: str = ""
) -> NewRule:
    """Return how a new rule is called, where its id or title tells what is not given.

    Raises:
        InvalidInput: For an id that is none or is taken, and for names that are no folders'.
    """
    if not RULE_ID.fullmatch(id):
        raise refuse("new rule", "id", id, "is no rule id", "TG-ABC-001")
    taken = {rule.id: rule.path for rule in rules.rules}
    if id in taken:
        kind = id.rpartition("-")[0]
        numbers = [int(each.rpartition("-")[2]) for each in taken if each.startswith(f"{kind}-")]
        expected = f"{kind}-{max(numbers) + 1:03d}, the next free one"
        raise refuse("new rule", "id", id, f"is that of {taken[id]}", expected)
    kind = id.split("-")[1]
    known = {each.split("-")[1]: path.partition("/")[0] for each, path in taken.items()}
    number = id.rpartition("-")[2]
    found = NewRule(
        id,
        category or known.get(kind, kind.lower()),
        name or _slug(title) or f"{kind.lower()}_{number}",
        title or f"Rule {id}",
    )
    for key, word in (("category", found.category), ("name", found.name)):
        if not _NAME.fullmatch(word):
            expected = "3 to 48 lowercase letters, digits or '_', a letter first"
            raise refuse("new rule", key, word, "is no name of a folder", expected)
    if found.path in taken.values():
        raise refuse("new rule", "name", found.name, "is that of another rule", "another name")
    if "\n" in found.title or not found.title.isprintable():
        raise refuse("new rule", "title", found.title, "is no line of text", "a few words")
    return found


def render_rule(rule: NewRule) -> dict[str, str]:
    """Return file name → text of a new rule's folder."""
    words = {
        "ID": rule.id,
        "TITLE": rule.title,
        "QUOTED": "'" + rule.title.replace("'", "''") + "'",
        "PATH": rule.path,
        "PACKAGE": rule.path.replace("/", "."),
        "NAME": rule.name,
        "TYPE": rule.type,
        "PROPERTY": rule.asks,
    }
    return {
        f"{rule.name}.rego": _fill(_RULE, words),
        f"{rule.name}_test.rego": _fill(_TEST, words),
        "cases.yaml": _fill(_CASES, words),
        "README.md": _fill(_PAGE, words),
    }


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:48]


def _fill(template: str, words: Mapping[str, str]) -> str:
    return re.sub(r"<<(\w+)>>", lambda match: words[match[1]], template)


_RULE = """# METADATA
# title: <<QUOTED>>
# description: >-
#   Every <<TYPE>> says <<PROPERTY>>. Say here why the rule exists.
# custom:
#   id: <<ID>>
#   severity: low
#   level: advisory
#   scope: resource
#   remediation: >-
#     Set the property that the message names.
#   docs: policies/rules/<<PATH>>/README.md
#   parameters:
#     types:
#       type: array
#       description: The resource types that are judged.
#       items: {type: string, minLength: 1}
#       default: ["<<TYPE>>"]
package tidegate.rules.<<PACKAGE>>

import data.tidegate.lib.shared
import data.tidegate.lib.values
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["<<ID>>"]

verdicts contains verdict if {
	some resource in input.resources
	resource.type in _parameters.types
	verdict := _judge(resource, values.read(resource.properties, ["<<PROPERTY>>"]))
}

_judge(resource, found) := say.pass(resource, {"property": "<<PROPERTY>>"}) if {
	found.state == "known"
} else := say.unknown(resource, {
	"property": "<<PROPERTY>>",
	"message": sprintf("%s says <<PROPERTY>>, but nobody can see it yet", [say.subject(resource)]),
	"expected": "a value",
}) if {
	found.state == "hidden"
} else := say.fail(resource, {
	"property": "<<PROPERTY>>",
	"message": sprintf("%s does not say <<PROPERTY>>", [say.subject(resource)]),
	"expected": "a value",
	"found": "nothing",
})
"""

_TEST = """package tidegate.rules.<<PACKAGE>>_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.<<PACKAGE>> as rule

resource(properties) := fixtures.resource("<<TYPE>>", properties)

parameters := {"<<ID>>": {"types": ["<<TYPE>>"]}}

verdicts(judged) := found if {
	found := rule.verdicts with input as fixtures.document([judged], parameters)
}

test_pass_on_a_known_value if {
	judged := resource({"<<PROPERTY>>": true})
	verdicts(judged) == {fixtures.verdict(judged, "pass", {"property": "<<PROPERTY>>"})}
}

test_unknown_on_a_value_that_cannot_be_seen if {
	judged := resource({"<<PROPERTY>>": fixtures.unknown})
	verdicts(judged) == {fixtures.verdict(judged, "unknown", {
		"property": "<<PROPERTY>>",
		"message": "it (<<TYPE>>) says <<PROPERTY>>, but nobody can see it yet",
		"expected": "a value",
	})}
}

test_fail_without_a_value if {
	judged := resource({})
	verdicts(judged) == {fixtures.verdict(judged, "fail", {
		"property": "<<PROPERTY>>",
		"message": "it (<<TYPE>>) does not say <<PROPERTY>>",
		"expected": "a value",
		"found": "nothing",
	})}
}

test_says_nothing_of_other_types if {
	verdicts(fixtures.resource("kubernetes:core/v1:Pod", {})) == set()
}
"""

_CASES = """# What the rule finds in what a program declares: all of it.
cases:
- name: what is said passes, what is not fails, what nobody can see is unknown
  resources:
  - {type: "<<TYPE>>", name: said, properties: {<<PROPERTY>>: true}}
  - {type: "<<TYPE>>", name: unsaid}
  - {type: "<<TYPE>>", name: unseen, properties: {<<PROPERTY>>: {$unknown: true}}}
  expect:
  - {resource: unsaid, outcome: fail, property: <<PROPERTY>>, found: nothing}
  - {resource: unseen, outcome: unknown, property: <<PROPERTY>>}
"""

_PAGE = """# <<ID>>: <<TITLE>>

Every `<<TYPE>>` says `<<PROPERTY>>`.

## Avoid

```yaml
type: <<TYPE>>
```

## Prefer

```yaml
type: <<TYPE>>
properties: {<<PROPERTY>>: true}
```

## Rationale

What it costs to do otherwise. **Fail** where nothing is said, **unknown** where nobody can see
it yet.

## Exceptions

None are built in.

## Configuration

```json
{"<<ID>>": {"types": ["<<TYPE>>"]}}
```

| parameter | meaning | default |
| --- | --- | --- |
| `types` | resource types that are judged | `<<TYPE>>` |
| `mandatoryFrom` | the day from which a failure is mandatory | none |
"""
