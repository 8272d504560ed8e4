"""Notebooks and endpoints side by side: what each is called, and which Tidegate may stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidegate.manifest.model import Endpoint, Manifest, Notebook

Reapable = Notebook | Endpoint


def name_reapable(declared: Reapable) -> str:
    """Return "notebook/NAME" or "endpoint/NAME": the two may share an id."""
    section = "notebook" if isinstance(declared, Notebook) else "endpoint"
    return f"{section}/{declared.id}"


def list_reapables(manifest: Manifest) -> Iterator[Reapable]:
    """Yield what the manifest leaves to Tidegate to stop when it is idle; nothing else ever is."""
    for notebook in manifest.notebooks:
        if notebook.stopped_by == "tidegate" and notebook.idle_shutdown_seconds:
            yield notebook
    for endpoint in manifest.endpoints:
        if endpoint.idle_shutdown_seconds:
            yield endpoint


def name_variant(declared: Endpoint) -> str:
    """Return the production variant of a SageMaker endpoint: "main" unless it states another."""
    return declared.target.get("variant", "main")


def name_component(declared: Endpoint, binding: Mapping[str, str]) -> str:
    """Return an endpoint's inference component, bound or stated; "" where it has none."""
    return binding.get("inferenceComponent") or declared.target.get("inferenceComponent", "")
