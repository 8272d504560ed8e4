"""One resource from check to delete: what the core does alike for every type of every cloud."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from tidegate.localclouds.answered import as_answered, as_given
from tidegate.localclouds.contracts import (
    UNKNOWN,
    Call,
    CheckFailure,
    Cloud,
    Created,
    TypeBehaviour,
    Values,
    World,
)
from tidegate.localclouds.differences import (
    Change,
    find_changes,
    forces_replacement,
    overlay_inputs,
)
from tidegate.localclouds.naming import (
    build_name,
    find_rules,
    is_auto_name,
    read_name,
    strip_version,
    write_name,
)
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.rules import TypeRules, check_limits
from tidegate.localclouds.schema import ResourceSchema
from tidegate.localclouds.shapes import INTERNAL, check_shapes
from tidegate.localclouds.store import Record
from tidegate.localclouds.stored import StoredType
from tidegate.localclouds.wire import Path, Properties, mark_secrets, unmark_secrets

Answer = TypeVar("Answer")
Rendered = tuple[Values, frozenset[Path]]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a diff says: the changes, which top-level properties replace, and in which order."""

    changes: list[Change]
    replaces: frozenset[str]
    delete_first: bool


class ResourceTypes:
    """Finds, for a call, its type's schema, rules and behaviour."""

    def __init__(self, cloud: Cloud, world: World) -> None:
        self._cloud = cloud
        self._world = world
        self._stored = StoredType()

    def find(self, call: Call) -> Resource:
        """Return the resource that a call is about.

        Raises:
            UnknownType: When the SDK has no such type.
        """
        token = strip_version(call.type_token)
        return Resource(
            call=call,
            schema=self._cloud.find_schema(token),
            rules=find_rules(call.cloud, token),
            behaviour=self._cloud.behaviours.get(token, self._stored),
            cloud=self._cloud,
        )


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of a type, as one call sees it."""

    call: Call
    schema: ResourceSchema
    rules: TypeRules
    behaviour: TypeBehaviour
    cloud: Cloud

    def check(self, old: Values, new: Values, seed: bytes) -> tuple[Values, list[CheckFailure]]:
        """Return the inputs with defaults and names filled in, and what is wrong with them."""
        failures = check_shapes(self.schema, new)
        if failures:
            return new, failures
        inputs = self._name(old, self.behaviour.prepare(new, self.call), seed)
        if self.cloud.defaults is not None:
            inputs = self.cloud.defaults(inputs, self.call)
        failures = check_limits(self.rules, inputs)
        return inputs, failures or list(self.behaviour.check(inputs, self.call))

    def _name(self, old: Values, inputs: Values, seed: bytes) -> Values:
        path = self.rules.autoname
        if not path or any(read_name(each, inputs) is not None for each in (path, f"{path}Prefix")):
            return inputs
        kept = read_name(path, old)
        is_ours = isinstance(kept, str) and self._is_autoname(kept)
        name = kept if is_ours else build_name(self.rules, self.call.name, seed)
        return write_name(path, inputs, name)

    def _is_autoname(self, name: str) -> bool:
        return is_auto_name(self.rules, self.call.name, name)

    def diff(self, id: str, old: Values, new: Values) -> Difference:
        """Return what changed, what of it replaces, and whether the old one goes first.

        The old one goes first where its name was given and stays: two cannot have it at once.
        """
        self.call.world.unanswered.settle(self._key(id))
        changes = find_changes(self._comparable(old), self._comparable(new))
        self._refuse_immutable(changes)
        replaces = {change.top for change in changes if forces_replacement(change, self.rules)}
        if changes:
            replaces |= set(self.behaviour.replacements(old, new, self.call))
        path = self.rules.autoname
        name = read_name(path, new) if path else None
        keeps_name = name is not None and read_name(path, old) == name
        is_given = keeps_name and not self._is_autoname(str(name))
        delete_first = bool(replaces) and (self.rules.delete_first or is_given)
        return Difference(changes, frozenset(replaces), delete_first)

    def _comparable(self, inputs: Values) -> Values:
        return {
            key: value
            for key, value in inputs.items()
            if key in self.schema.inputs.properties or key == "tagsAll"
        }

    def _refuse_immutable(self, changes: list[Change]) -> None:
        for change in changes:
            if change.top in self.rules.immutable:
                raise CloudError("PropertyChangeNotAllowed", f"{change.place} cannot be changed")

    def plan(self, inputs: Values, outputs: Values) -> Values:
        """Return the outputs that a preview can know: inputs, and old outputs on an update."""
        blank = {name: UNKNOWN for name in self.schema.outputs if name not in inputs}
        return {**({} if outputs else blank), **self._outputs_among({**outputs, **inputs})}

    def create(self, properties: Properties) -> tuple[str, Rendered]:
        """Create it and keep its record, both or none."""
        adopted = self._take_over(properties.values)
        if adopted is not None:
            return adopted.id, self._render(adopted.outputs, properties)
        created, outputs = self._commit(lambda: self._create(properties))
        return created.id, outputs

    def _create(self, properties: Properties) -> tuple[Created, Rendered]:
        created = self.behaviour.create(properties.values, self.call)
        outputs = self._render(self._complete(properties.values, created.outputs), properties)
        self._keep(created.id, properties, outputs, created.state)
        self.call.world.unanswered.add(self._key(created.id))
        return created, outputs

    def _commit(self, work: Callable[[], Answer]) -> Answer:
        """Do the work in one transaction.

        What the cloud did before it refused, or before a fault of ours, stays done: its own
        state holds it already, and a rolled back journal would forget it.
        """
        failed: Exception | None = None
        with self.call.world.store.transaction():
            try:
                answer = work()
            except Exception as error:  # noqa: BLE001 - raised again once the journal is kept
                failed = error
        if failed is not None:
            raise failed
        return answer

    def _take_over(self, inputs: Values) -> Record | None:
        """Return what this URN made before from the same inputs and no engine knows of.

        What it made under another auto-name is deleted, where the cloud allows it.
        """
        call = self.call
        for record in call.world.store.list(self._shelf, call.type_token, call.urn):
            if self._key(record.id) not in call.world.unanswered:
                continue
            plain = self._plain(record)
            if plain.inputs == inputs:
                return plain
            if self._without_name(plain.inputs) == self._without_name(inputs):
                with suppress(CloudError):
                    self.delete(record.id)
        return None

    def _without_name(self, inputs: Values) -> Values:
        path = self.rules.autoname
        name = read_name(path, inputs) if path else None
        is_auto = name is not None and self._is_autoname(str(name))
        return write_name(path, inputs, None) if is_auto else inputs

    @property
    def _shelf(self) -> str:
        """Where its records stand: ids are unique there. See `Cloud.scope`."""
        return self.call.cloud if self.cloud.scope is None else self.cloud.scope(self.call)

    def _key(self, id: str) -> tuple[str, str, str]:
        return self._shelf, self.call.type_token, id

    def read(self, id: str, asked: Properties) -> tuple[Rendered, Rendered] | None:
        """Return (inputs, outputs) as they are live, or None when it is gone."""
        self.call.world.unanswered.settle(self._key(id))
        record = self._find_record(id) or self._adopt(id)
        if record is None:
            return None
        live = self.behaviour.read(record, self.call)
        if live is None:
            self.call.world.store.delete(*self._key(id))
            return None
        given = asked if asked.values else Properties(record.inputs)
        outputs = live if self.cloud.tells_all else self._complete(record.inputs, live)
        shown = as_given(self.schema, outputs)
        whole = self.cloud.tells_all
        inputs = overlay_inputs(self.schema.inputs, given.values, shown, whole=whole)
        return (inputs, self.spread(given.secrets)), self._render(outputs, given)

    def _adopt(self, id: str) -> Record | None:
        found = self.behaviour.adopt(id, self.call)
        if found is None:
            return None
        inputs = as_given(self.schema, found)
        record = Record(*self._key(id), self.call.urn, inputs)
        self.call.world.store.put(record)
        return record

    def update(self, id: str, old: Values, news: Properties) -> Rendered:
        """Change it in place and keep its record."""
        record = self._find_record(id)
        if record is None:
            raise NotFoundError("NotFound", f"{self.call.type_token} {id} does not exist")
        return self._commit(lambda: self._update(record, old, news))

    def _update(self, record: Record, old: Values, news: Properties) -> Rendered:
        changed = self.behaviour.update(record, old, news.values, self.call)
        rendered = self._render(self._complete(news.values, changed), news)
        self._keep(record.id, news, rendered, record.state)
        return rendered

    def delete(self, id: str) -> None:
        """Delete it and its record."""
        record = self._find_record(id)
        if record is not None:
            self._commit(lambda: self._delete(record))

    def _delete(self, record: Record) -> None:
        self.behaviour.delete(record, self.call)
        self.call.world.store.delete(*self._key(record.id))
        self.call.world.unanswered.settle(self._key(record.id))

    def _find_record(self, id: str) -> Record | None:
        record = self.call.world.store.get(*self._key(id))
        return self._plain(record) if record else None

    def _plain(self, record: Record) -> Record:
        inputs, outputs = unmark_secrets(record.inputs), unmark_secrets(record.outputs)
        return replace(record, inputs=inputs.values, outputs=outputs.values)

    def _keep(self, id: str, inputs: Properties, outputs: Rendered, state: Values) -> None:
        current = self.call.world.store.get(*self._key(id))
        self.call.world.store.put(
            Record(
                *self._key(id),
                self.call.urn,
                mark_secrets(inputs.values, inputs.secrets),
                mark_secrets(*outputs),
                {**state, **(current.state if current else {})},
            )
        )

    def _complete(self, inputs: Values, outputs: Values) -> Values:
        """Return all outputs: what the behaviour computed, over the inputs of the same name."""
        merged = {**inputs, **outputs}
        if self.cloud.outputs is not None:
            merged |= self.cloud.outputs(inputs, merged, self.call)
        return self._outputs_among(merged)

    def _outputs_among(self, values: Values) -> Values:
        return {
            key: value
            for key, value in as_answered(self.schema, values).items()
            if value is not None and (key in self.schema.outputs or key in INTERNAL)
        }

    def _render(self, outputs: Values, inputs: Properties) -> Rendered:
        always = {(name,) for name in self.rules.secret_outputs}
        return outputs, self.spread(inputs.secrets | always)

    def spread(self, secrets: frozenset[Path]) -> frozenset[Path]:
        """Return the places that are secret, and those of what is derived from them."""
        return secrets if self.cloud.secrets is None else self.cloud.secrets(secrets, self.call)
