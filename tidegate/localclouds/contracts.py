"""What a cloud's module supplies, and what the provider server gives it.

The server (`server.py`) builds one `Cloud` a package by calling `build_aws_cloud(world)` and its
likes; nothing registers itself on import.

Division of labour. The core does, alike for every type: unknown types and properties, missing
ones, shapes and enums (from the installed SDK); ranges, name grammars and replacements (from
`data/<cloud>.toml`, see `rules.py`); auto-naming; unknowns in a preview; secrets (a behaviour
sees plain values, the core marks what was secret again); diffs; faults and latency; the record
in the store. A behaviour does what only its type knows.

Values are plain Python JSON in Pulumi's spelling (camelCase); whole numbers are `int`; what is
not known yet during a preview is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tidegate.localclouds.store import Record, Store
from tidegate.vocabulary.problems import nearest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from tidegate.localclouds.faults import Faults
    from tidegate.localclouds.schema import ResourceSchema
    from tidegate.localclouds.unanswered import Unanswered
    from tidegate.localclouds.wire import Path as Place

Values = dict[str, Any]


class Unknown(Enum):
    """The type of `UNKNOWN`: a value that exists only after a create that has not run."""

    UNKNOWN = "UNKNOWN"


UNKNOWN = Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """One property that the cloud would refuse.

    Attributes:
        property: Where, in Pulumi's spelling: "scalingConfig.minSize", "taints[0].effect".
        reason: What is wrong and what would be right, as the cloud would say it.
    """

    property: str
    reason: str


@dataclass(frozen=True, slots=True)
class World:
    """What one server process shares among its clouds."""

    state_dir: Path
    store: Store
    faults: Faults
    unanswered: Unanswered


@dataclass(frozen=True, slots=True)
class Call:
    """For whom a behaviour works: one resource of one configured provider.

    Attributes:
        cloud: The package: "aws", "gcp", "azure-native" or "kubernetes".
        type_token: Pulumi's type token, as the program gave it.
        urn: The resource's URN.
        name: Its logical name in the program.
        settings: The provider's configuration ("region", "project", "zone", "subscriptionId",
            "location", "defaultTags" …), with JSON strings parsed.
        world: The process's store, faults and state directory.
        secret_settings: Which of the settings are secret.
    """

    cloud: str
    type_token: str
    urn: str
    name: str
    settings: Mapping[str, Any]
    world: World
    secret_settings: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Created:
    """What a create gives back.

    Attributes:
        id: The physical id, as the real provider writes it.
        outputs: The computed outputs and what the cloud defaulted. Inputs need not be repeated:
            the core fills each output property of the type that the outputs leave out from the
            input of the same name.
        state: Kept in `Record.state`.
    """

    id: str
    outputs: Values
    state: Values = field(default_factory=dict)


class TypeBehaviour(Protocol):
    """What one resource type does beyond what the core does for all (see the module's words).

    Subclass `stored.StoredType` and override what differs. Any method may raise `CloudError`.
    `check` runs in previews too and must pass over `UNKNOWN`; it may look into the store, but a
    reference to what this same update is about to create is `UNKNOWN` then, never a dangling id.
    """

    backing: str
    """"api" when the cloud's own SDK can read it back; "stored" when only the store knows it."""

    def prepare(self, inputs: Values, call: Call) -> Values:
        """Return the inputs with the provider's own defaults applied (before all checks)."""
        ...

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what the cloud would refuse that the SDK and the data file cannot know."""
        ...

    def replacements(self, old: Values, new: Values, call: Call) -> Iterable[str]:
        """Name top-level properties whose change forces a replacement, beyond the data file's."""
        ...

    def create(self, inputs: Values, call: Call) -> Created:
        """Create it. `NotFoundError` for references to what does not exist."""
        ...

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the live outputs (what the cloud's own SDK changed included), None when gone.

        The core lays live values over the old inputs of the same name, so that drift shows.
        """
        ...

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change it in place from the `old` inputs to `new`; return the outputs."""
        ...

    def delete(self, record: Record, call: Call) -> None:
        """Delete it; deleting what is gone is no error. `CloudError` when the cloud refuses."""
        ...

    def adopt(self, id: str, call: Call) -> Values | None:
        """Return inputs for `pulumi import` of an id that the store has no record of, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Cloud:
    """One package as the server runs it.

    Attributes:
        package: "aws", "gcp", "azure-native" or "kubernetes".
        behaviours: By type token; every other type of the SDK is a `StoredType`. Versioned
            azure-native tokens ("azure-native:containerservice/v20250101:AgentPool") are looked
            up without their version.
        face: The WSGI application that answers the cloud's own SDKs on a loopback port. It is
            served by several threads, in the provider servers' process.
        outputs: Optional hook over all types: given inputs, outputs and call, returns outputs
            to add (aws: tagsAll, region; gcp: effectiveLabels, project).
        defaults: Optional hook over all types, before checks (aws: tagsAll from defaultTags).
        secrets: Optional hook over all types: given which inputs are secret, returns those and
            what `defaults` and `outputs` derive from them (aws: tagsAll of secret tags).
        invokes: The look-ups (`aws.get_region()` …) it answers, by token: (arguments, settings).
        warm: What is slow when first used (clients, backends), in small steps. The server takes
            them in a thread once it is ready; a call that comes before them does its own.
        close: Called once when the server stops.
        schemas: The forms of types that no SDK has, by token (Kubernetes' custom resources).
        scope: Where a provider's ids are not unique over all its configurations (Kubernetes has
            a namespace/name in each cluster): the package, "@" and what tells them apart.
        check_settings: Says which of a provider's own settings are refused.
        tells_all: Whether what a read answers is all there is: an input that it leaves out was
            removed, and is not filled in from what was asked for.
        replace_settings: Names the settings whose change is another provider: its resources are
            replaced.
    """

    package: str
    behaviours: Mapping[str, TypeBehaviour]
    face: WSGIApplication
    outputs: Callable[[Values, Values, Call], Values] | None = None
    defaults: Callable[[Values, Call], Values] | None = None
    secrets: Callable[[frozenset[Place], Call], frozenset[Place]] | None = None
    invokes: Mapping[str, Callable[[Values, Mapping[str, Any]], Values]] = field(
        default_factory=dict
    )
    warm: tuple[Callable[[], object], ...] = ()
    close: Callable[[], None] | None = None
    schemas: Mapping[str, ResourceSchema] = field(default_factory=dict)
    scope: Callable[[Call], str] | None = None
    tells_all: bool = False
    check_settings: Callable[[Values], Iterable[CheckFailure]] | None = None
    replace_settings: Callable[[Values, Values], Iterable[str]] | None = None

    def find_schema(self, type_token: str) -> ResourceSchema:
        """Return the form of a type.

        Raises:
            UnknownType: When neither the SDK nor this cloud has it.
        """
        from tidegate.localclouds.schema import UnknownType, load_schema  # it imports the SDKs

        try:
            return self.schemas.get(type_token) or load_schema(type_token)
        except UnknownType:
            hint = nearest(type_token, self.schemas)
            if not hint:
                raise
            words = f"unrecognized resource type {type_token}; did you mean {hint}?"
            raise UnknownType(words) from None


def is_known(value: Any) -> bool:
    """Tell whether the value holds nothing that is unknown, at any depth."""
    if isinstance(value, dict):
        return all(is_known(part) for part in value.values())
    if isinstance(value, list):
        return all(is_known(part) for part in value)
    return value is not UNKNOWN
