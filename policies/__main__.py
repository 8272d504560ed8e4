"""The policy pack: `pulumi up --policy-pack policies`."""

from __future__ import annotations

from pathlib import Path

# The engine runs this directory as a program, so that its modules are top-level ones.
from crossguard import run_pack

run_pack(Path(__file__).resolve().parent)
