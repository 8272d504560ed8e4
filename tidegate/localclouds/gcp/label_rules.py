"""Google Cloud's grammar for billing labels, and Kubernetes' for node labels and taints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

# Google's grammar of labels: general vendor documentation, not verified. Letters of any script
# are allowed as long as they have no upper case; the clouds' common ground is ASCII.
KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
VALUE = re.compile(r"[a-z0-9_-]{0,63}")
MAX_LABELS = 64

# Kubernetes documentation, "Labels and Selectors", syntax and character set.
NODE_KEY = re.compile(r"(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
NODE_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


def check_labels(labels: Any, place: str) -> Iterator[CheckFailure]:
    """Say what is wrong with billing labels."""
    if not isinstance(labels, Mapping):
        return
    if len(labels) > MAX_LABELS:
        yield CheckFailure(place, f"Too many labels: {len(labels)}. At most {MAX_LABELS}.")
    for key, value in labels.items():
        if not KEY.fullmatch(key):
            yield CheckFailure(
                f"{place}.{key}",
                f"Invalid label key '{key}': 1 to 63 lowercase letters, digits, underscores and "
                "dashes, starting with a letter.",
            )
        if value is not UNKNOWN and not VALUE.fullmatch(str(value)):
            yield CheckFailure(
                f"{place}.{key}",
                f"Invalid label value '{value}': at most 63 lowercase letters, digits, "
                "underscores and dashes.",
            )


def check_node_labels(labels: Any, place: str) -> Iterator[CheckFailure]:
    """Say what is wrong with the Kubernetes labels of nodes."""
    if not isinstance(labels, Mapping):
        return
    for key, value in labels.items():
        if not NODE_KEY.fullmatch(key):
            yield CheckFailure(f"{place}.{key}", f"Invalid Kubernetes label key '{key}'.")
        if value is not UNKNOWN and not NODE_VALUE.fullmatch(str(value)):
            yield CheckFailure(
                f"{place}.{key}",
                f"Invalid Kubernetes label value '{value}': at most 63 letters, digits, '-', '_' "
                "and '.', starting and ending with a letter or digit.",
            )
