"""Options for a component's children: what the caller gave reaches those that it concerns."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence

import pulumi

from tidegate_components.names import NameRule, derive_name


def child_options(
    parent: pulumi.ComponentResource,
    given: pulumi.ResourceOptions | None,
    kind: type[pulumi.CustomResource],
    *,
    ignore: Iterable[str] = (),
    protect: bool | None = None,
    retain_on_delete: bool | None = None,
    delete_before_replace: bool | None = None,
    replace: Iterable[str] = (),
    named: NameRule | None = None,
    suffix: str = "",
    depends_on: Sequence[pulumi.Resource] = (),
) -> pulumi.ResourceOptions:
    """Return the options of one child.

    Pulumi hands `provider`, `protect` and `aliases` from parent to child, but drops a component's
    own `ignore_changes`, `depends_on` and `retain_on_delete`; they are set here.

    Args:
        parent: The component.
        given: What the component's caller passed.
        kind: The child's resource class; decides which of the caller's paths exist on it.
        ignore: Property paths that the component itself ignores.
        protect: Whether the child is protected; None leaves it to the parent.
        retain_on_delete: Whether the cloud keeps the resource; None leaves it to the caller.
        delete_before_replace: Whether a fixed name makes the old one go first.
        replace: Property paths whose change makes a new resource, where the provider itself would
            try, and fail, to change the old one.
        named: The rule by which the child's own name is derived from the component's; None where it
            begins with the component's name, which Pulumi follows by itself.
        suffix: What is appended to that.
        depends_on: Siblings that come first.
    """
    caller = given or pulumi.ResourceOptions()
    paths = [*ignore]
    paths += [path for path in caller.ignore_changes or () if _concerns(path, kind)]
    merged = pulumi.ResourceOptions(
        parent=parent,
        ignore_changes=list(dict.fromkeys(paths)) or None,
        protect=protect,
        retain_on_delete=caller.retain_on_delete if retain_on_delete is None else retain_on_delete,
        delete_before_replace=delete_before_replace,
        replace_on_changes=list(replace) or None,
        aliases=_earlier_names(caller, named, suffix) if named else None,
        depends_on=list(depends_on),
        custom_timeouts=caller.custom_timeouts,
    )
    return pulumi.ResourceOptions.merge(
        pulumi.ResourceOptions(depends_on=caller.depends_on), merged
    )


def _earlier_names(
    caller: pulumi.ResourceOptions, rule: NameRule, suffix: str
) -> list[pulumi.Input[str | pulumi.Alias]]:
    """Return the names that a child had under the component's earlier names.

    Without them a component that is renamed by an alias would lose what it holds: the child's
    derived name is no longer the one that stands in the state.
    """
    return [
        pulumi.Alias(name=f"{derive_name(alias.name, rule)}{suffix}")
        for alias in caller.aliases or ()
        if isinstance(alias, pulumi.Alias) and isinstance(alias.name, str)
    ]


def _concerns(path: str, kind: type[pulumi.CustomResource]) -> bool:
    """Return whether the first part of a property path is an input of the resource class."""
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    snake = re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", root)
    return root == "*" or snake in input_names(kind)


def input_names(kind: type[pulumi.CustomResource]) -> frozenset[str]:
    """Return the inputs of a provider's resource class, in Python's spelling."""
    # Generated classes keep their typed signature on `_internal_init`.
    constructor = getattr(kind, "_internal_init", kind.__init__)
    return frozenset(inspect.signature(constructor).parameters) - {"self", "opts", "__props__"}
