"""Types whose life is one call each: create, read, update, delete, as a table says.

Inputs become the call's parameters by name, led by botocore's description of the action, and the
answer becomes outputs by name, led by the SDK's types (see `convert`). A type names what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore import xform_name  # type: ignore[import-untyped]

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.clients import DEFAULT_REGION, Client
from tidegate.localclouds.aws.convert import from_structure, to_request, to_tags
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

MISSING_WORDS = ("Could not find",)  # of services without a code for it


@dataclass(frozen=True, slots=True)
class TagCalls:
    """How a service takes tags.

    Attributes:
        list: The action that lists the tags of an ARN; add and remove likewise.
        arn: The parameter that holds the ARN, in each of them.
        member: The parameter that holds tags, at creation and when they are added.
        keys: The parameter that holds the keys to remove.
        as_pairs: Whether tags are a list of keys and values, not a map.
    """

    list: str = "ListTagsForResource"
    add: str = "TagResource"
    remove: str = "UntagResource"
    arn: str = "resourceArn"
    member: str = "tags"
    keys: str = "tagKeys"
    as_pairs: bool = False

    def render(self, tags: Mapping[str, str]) -> Any:
        """Return tags in the service's form."""
        return to_tags(tags) if self.as_pairs else dict(tags)

    def parse(self, found: Any) -> dict[str, str]:
        """Return tags from the service's form."""
        return {t["Key"]: t["Value"] for t in found} if self.as_pairs else dict(found)


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of one type; "" where the service has none."""

    create: str
    read: str
    update: str = ""
    delete: str = ""


@dataclass(frozen=True, slots=True)
class Names:
    """How a type's names differ from the API's.

    Attributes:
        key: The parameter and answer member that names it ("ModelName").
        property: The input that gives the name, "" where the service draws the id.
        arn: The answer member that becomes the output `arn`.
        member: The answer member that holds the description, "" where it is the answer itself.
        asked: Input → parameter, where they differ by more than case.
        shown: Property → answer member, where they differ by more than case.
        computed: Output → answer member.
    """

    key: str
    property: str = "name"
    arn: str = ""
    member: str = ""
    asked: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    computed: Mapping[str, str] = field(default_factory=dict)


class ModelledType(ApiType):
    """A type whose behaviour is its `actions`, `names` and `tag_calls`."""

    actions: Actions
    names: Names
    tag_calls: TagCalls | None = None
    is_global = False

    def client(self, call: Call, inputs: Values, service: str = "") -> Client:
        """Return the client; services without regions are asked in one place."""
        if self.is_global:
            return self._clients.of_region(service or self.service, DEFAULT_REGION)
        return super().client(call, inputs, service)

    def key_of(self, id: str) -> dict[str, Any]:
        """Return the parameters that name the resource of an id."""
        return {self.names.key: id}

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Return the id of what was just created."""
        name = self.names
        return str(inputs[name.property] if name.property else answer[name.key])

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Return an action's parameters from inputs, tags aside."""
        shape = self.client(call, inputs).input_shape(action)
        plain = {key: value for key, value in inputs.items() if key not in ("tags", "tagsAll")}
        given = plain.pop(self.names.property, None) if self.names.property else None
        arguments: Values = to_request(shape, plain, self.names.asked)
        if given is not None and self.names.key in shape.members:
            arguments[self.names.key] = given
        return arguments

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return outputs from the description of what is live, tags aside."""
        form = load_schema(call.type_token).inputs
        live: Values = from_structure(form, answer, self.names.shown)
        live.pop("tags", None)
        if self.names.property:
            live[self.names.property] = answer.get(self.names.key, inputs.get(self.names.property))
        computed = dict(self.names.computed)
        if self.names.arn:
            computed["arn"] = self.names.arn
        return {**live, **{name: answer.get(member) for name, member in computed.items()}}

    def ask(self, action: str, call: Call, inputs: Values, arguments: Values) -> Values:
        """Call an action and return its answer."""
        method = getattr(self.client(call, inputs), xform_name(action))
        answer: Values = method(**arguments)
        return answer

    def fetch(self, id: str, inputs: Values, call: Call) -> Values:
        """Return the description of what is live; `NotFoundError` when there is none."""
        try:
            answer = self.ask(self.actions.read, call, inputs, self.key_of(id))
        except CloudError as error:
            raise _as_missing(error) from error
        return answer[self.names.member] if self.names.member else answer

    def create(self, inputs: Values, call: Call) -> Created:
        """Create it with its tags."""
        arguments = self.arguments(self.actions.create, inputs, call)
        tags = tags_of(inputs)
        if tags and self.tag_calls is not None:
            arguments[self.tag_calls.member] = self.tag_calls.render(tags)
        answer = self.ask(self.actions.create, call, inputs, arguments)
        made = self.id_of(inputs, answer)
        return Created(made, self.describe(made, inputs, call))

    def describe(self, id: str, inputs: Values, call: Call) -> Values:
        """Return all outputs of what is live."""
        found = self.fetch(id, inputs, call)
        return {**self.outputs(found, inputs, call), **self._live_tags(found, inputs, call)}

    def arn_of(self, found: Values) -> str:
        """Return the ARN by which it is tagged."""
        return str(found[self.names.arn])

    def _live_tags(self, found: Values, inputs: Values, call: Call) -> Values:
        if self.tag_calls is None:
            return {}
        return split_live_tags(self._list_tags(found, inputs, call), inputs, call)

    def _list_tags(self, found: Values, inputs: Values, call: Call) -> dict[str, str]:
        calls = self.tag_calls or TagCalls()
        answer = self.ask(calls.list, call, inputs, {calls.arn: self.arn_of(found)})
        members = {name.lower(): value for name, value in answer.items()}
        return calls.parse(members.get(calls.member.lower()) or members.get("tags") or {})

    def read(self, record: Record, call: Call) -> Values | None:
        """Return it as it is live."""
        try:
            return self.describe(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def change(self, record: Record, old: Values, new: Values, call: Call) -> None:
        """Ask for what changed of all but tags."""
        if not self.actions.update or _without_tags(old) == _without_tags(new):
            return
        arguments = self.arguments(self.actions.update, new, call)
        self.ask(self.actions.update, call, new, {**arguments, **self.key_of(record.id)})

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change it in place, then its tags."""
        self.change(record, old, new, call)
        if self.tag_calls is not None:
            self._set_tags(self.fetch(record.id, new, call), new, call)
        return self.describe(record.id, new, call)

    def _set_tags(self, found: Values, new: Values, call: Call) -> None:
        calls = self.tag_calls or TagCalls()
        arn = {calls.arn: self.arn_of(found)}
        change = compare_tags(self._list_tags(found, new, call), tags_of(new))
        if change.removed:
            self.ask(calls.remove, call, new, {**arn, calls.keys: change.removed})
        if change.added:
            self.ask(calls.add, call, new, {**arn, calls.member: calls.render(change.added)})

    def delete(self, record: Record, call: Call) -> None:
        """Delete it."""
        with self.ignore_missing():
            try:
                self.ask(self.actions.delete, call, record.inputs, self.key_of(record.id))
            except CloudError as error:
                raise _as_missing(error) from error


def _as_missing(error: CloudError) -> CloudError:
    if any(words in error.message for words in MISSING_WORDS):
        return NotFoundError(error.code, error.message)
    return error


def _without_tags(values: Values) -> Values:
    return {key: value for key, value in values.items() if key not in ("tags", "tagsAll")}
