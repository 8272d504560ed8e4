"""The stack program: configuration → checked plan → clusters and components → manifest."""

from __future__ import annotations

import atexit
import gc

# The SDKs define thousands of classes that live until the program ends; looking for garbage among
# them takes a quarter of its time, and once more, after the work is done, a second at its end.
gc.disable()
atexit.register(gc.freeze)

# ruff: noqa: E402 - the imports are what takes the time
import pulumi
from clusters import declare_clusters
from config import read_settings
from declare import declare_components
from plan import build_stack_manifest, plan_stack

from tidegate.catalog.load import load_catalog
from tidegate.manifest.build import dump_manifest
from tidegate.vocabulary.problems import InvalidInput


def main() -> None:
    """Declare the stack; bad input ends it as one message before anything is registered."""
    try:
        settings, problems = read_settings()
        catalog = load_catalog(settings.catalog_overlay)
        plan = plan_stack(settings, catalog, problems)
    except InvalidInput as error:
        raise pulumi.RunError(render_refusal(error)) from None
    for warning in plan.warnings:
        pulumi.log.warn(str(warning))
    joined = declare_clusters(settings)
    fragments, bindings = declare_components(plan, joined, catalog)
    manifest = build_stack_manifest(settings, catalog, fragments)
    pulumi.export("capacity", dump_manifest(manifest))
    pulumi.export("bindings", bindings)


def render_refusal(error: InvalidInput) -> str:
    """Return every problem, one a line, under a line that says what it means."""
    count = len(error.problems)
    head = f"{count} problem{'s' if count > 1 else ''} in the configuration; nothing was declared:"
    return "\n".join([head, *(f"  - {problem}" for problem in error.problems)])


main()
