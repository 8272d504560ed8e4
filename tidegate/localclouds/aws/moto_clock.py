"""Moto's randomness and time, held still while one request is handled.

Moto reads the time through the `datetime` module as its modules see it, and draws every id from
one generator. The clock puts a subclass of `datetime` into those modules whose `now` can be held.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class HeldDateTime(dt.datetime):
    """`datetime` whose `now` is held while a request is handled."""

    held: float | None = None

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
        """Return the held time, or the real one when none is held."""
        if cls.held is None:
            return dt.datetime.now(tz)
        return dt.datetime.fromtimestamp(cls.held, tz)


class MotoClock:
    """Holds moto's time and seed for the length of one request."""

    def __init__(self) -> None:
        from moto.moto_api._internal import mock_random

        self._random = mock_random
        hold_time()
        seed_backends()

    @contextmanager
    def fixed(self, seed: int, at: float) -> Iterator[None]:
        """Handle what is inside with this seed and at this time."""
        self._random.seed(seed)
        HeldDateTime.held = at
        try:
            yield
        finally:
            HeldDateTime.held = None


def hold_time() -> None:
    """Let the modules of moto that are used here read the time from `HeldDateTime`."""
    module = types.ModuleType("datetime")
    module.__dict__.update({**vars(dt), "datetime": HeldDateTime})
    for name in (
        "moto.core.utils",
        "moto.autoscaling.models",
        "moto.s3.models",
        "moto.budgets.models",
        "moto.cloudwatch.models",
    ):
        importlib.import_module(name)
        names = vars(sys.modules[name])
        if isinstance(names.get("datetime"), types.ModuleType):
            names["datetime"] = module
        elif names.get("datetime") is dt.datetime:
            names["datetime"] = HeldDateTime


def seed_backends() -> None:
    """Build each region's backend with a seed from its own name.

    Moto builds it when a region is first touched, by a look-up too, which no journal tells.
    """
    from moto.core import base_backend
    from moto.moto_api._internal import mock_random

    original = base_backend.AccountSpecificBackend.__getitem__

    def get(self: Any, region_name: str) -> Any:
        region = "aws" if region_name == "global" else region_name
        if dict.__contains__(self, region):
            return dict.__getitem__(self, region)
        before, held = mock_random.getstate(), HeldDateTime.held
        name = f"{self.service_name}/{self.account_id}/{region}"
        mock_random.seed(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
        HeldDateTime.held = 0.0
        try:
            return original(self, region_name)
        finally:
            mock_random.setstate(before)
            HeldDateTime.held = held

    base_backend.AccountSpecificBackend.__getitem__ = get  # type: ignore[method-assign]
