"""Clients of AWS' own SDK. Credentials and endpoints come from boto3's usual places."""

from __future__ import annotations

from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]

_ATTEMPTS = 4
_CONNECT_SECONDS = 5
_READ_SECONDS = 20


def build_client(service: str, region: str) -> Any:
    """Return a boto3 client that retries what AWS says to retry."""
    retries: Any = {"max_attempts": _ATTEMPTS, "mode": "standard"}
    config = Config(retries=retries, connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS)
    return boto3.client(service, region_name=region, config=config)
