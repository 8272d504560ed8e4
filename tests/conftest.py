"""How properties are searched everywhere: no test fails for being slow on a busy machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tidegate", deadline=None)
settings.load_profile("tidegate")
