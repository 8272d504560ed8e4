"""Whatever a resource's state holds, every reader makes the same resource of it."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.collected import FORMAT, read_collected
from tidegate.policy.event_log import read_event_log
from tidegate.policy.export import read_export
from tidegate.policy.preview import read_preview
from tidegate.policy.values import SECRET_SIGNATURE, SIGNATURE_KEY

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
HEAD = "urn:pulumi:prod::vision::"
TYPES = ("aws:s3/bucket:Bucket", "gcp:storage/bucket:Bucket", "azure-native:storage:StorageAccount")

texts = st.text(max_size=8) | st.sampled_from([UNKNOWN, "[secret]"])
plain = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | texts
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=3)
        | inner.map(lambda value: {SIGNATURE_KEY: SECRET_SIGNATURE, "value": value})
    ),
    max_leaves=8,
)


@st.composite
def stacks(draw):
    states = []
    for number in range(draw(st.integers(1, 4))):
        token = draw(st.sampled_from(TYPES))
        states.append(
            {
                "urn": f"{HEAD}{token}::it-{number}",
                "type": token,
                "custom": draw(st.booleans()),
                "inputs": draw(
                    st.dictionaries(st.text(min_size=1, max_size=6), values, max_size=4)
                ),
                "protect": draw(st.booleans()),
                "external": draw(st.booleans()),
                "id": draw(st.sampled_from(["", "id-1"])),
            }
        )
    return states


def read_all(states):
    steps = [{"op": "create", "urn": each["urn"], "newState": each} for each in states]
    preview = {"config": {}, "steps": steps, "changeSummary": {}}
    events = [
        {"preludeEvent": {"config": {}}},
        *(
            {"resourcePreEvent": {"metadata": {"op": "create", "urn": s["urn"], "new": s}}}
            for s in states
        ),
        {"summaryEvent": {"result": "succeeded"}},
    ]
    collected = {"format": FORMAT, "config": {}, "resources": states}
    return {
        "export": read_export("x", {"deployment": {"resources": states}}),
        "preview": read_preview("x", preview).graph,
        "events": read_event_log("x", "\n".join(map(json.dumps, events))).graph,
        "collected": read_collected("x", collected),
    }


@given(stacks())
def test_the_four_readers_agree(states):
    read = read_all(json.loads(json.dumps(states)))
    first = read.pop("export")
    for graph in read.values():
        assert graph.stack == first.stack
        assert without_what_differs(graph.resources) == first.resources
        assert without_what_differs(graph.context) == first.context


def without_what_differs(resources):
    # Where nothing is configured, a preview's default provider has no settings; an export has none.
    # What the engine is about to do is told by a preview and an event log alone.
    return tuple(replace(resource, provider=None, operation="") for resource in resources)


@given(stacks())
def test_no_signed_object_and_no_reserved_text_is_left(states):
    for graph in read_all(states).values():
        shown = json.dumps([resource.properties for resource in graph.resources])
        assert SIGNATURE_KEY not in shown
        assert f'"{UNKNOWN}"' not in shown.replace(f'"{UNKNOWN}":', "")
