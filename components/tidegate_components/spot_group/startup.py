"""The script that a machine runs when it boots, as AWS and Azure take it."""

from __future__ import annotations

import base64
from typing import Any

import pulumi


def encode_script(script: Any) -> pulumi.Output[str] | None:
    """Return a script in base64; None where there is none."""
    if script is None:
        return None
    return pulumi.Output.from_input(script).apply(
        lambda text: base64.b64encode(str(text).encode()).decode()
    )
