"""Settings of scaling as a user writes them: a strict document, read once at the boundary."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from tidegate.manifest.document import Amount, Document
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse, suggest

Count = Annotated[int, Field(ge=0)]
Share = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False)]
DEFAULTS = ScalingSettings()


class SettingsFile(Document):
    """What a file may say, each with its limits; what is left out keeps its default."""

    hourly_ceiling: Amount | None = DEFAULTS.hourly_ceiling
    stale_after_seconds: Count = DEFAULTS.stale_after_seconds
    clock_skew_seconds: Count = DEFAULTS.clock_skew_seconds
    boot_patience: int = Field(default=DEFAULTS.boot_patience, ge=1)
    node_cooldown_seconds: Count = DEFAULTS.node_cooldown_seconds
    keep_alive_min_seconds: Count = DEFAULTS.keep_alive_min_seconds
    keep_alive_max_seconds: Count = DEFAULTS.keep_alive_max_seconds
    wait_cost_per_hour: Amount = DEFAULTS.wait_cost_per_hour
    warm_share: Share | None = DEFAULTS.warm_share
    saving_horizon_seconds: Count = DEFAULTS.saving_horizon_seconds
    max_rework_seconds: Count = DEFAULTS.max_rework_seconds
    max_preemptions: Count = DEFAULTS.max_preemptions
    stop_without_checkpoint: bool = DEFAULTS.stop_without_checkpoint
    cpu_on_accelerators: bool = DEFAULTS.cpu_on_accelerators
    stock_out_backoff_seconds: Count = DEFAULTS.stock_out_backoff_seconds
    stock_out_backoff_max_seconds: Count = DEFAULTS.stock_out_backoff_max_seconds
    quota_backoff_seconds: Count = DEFAULTS.quota_backoff_seconds
    commitment_lead_seconds: Count = DEFAULTS.commitment_lead_seconds
    default_duration_seconds: int = Field(default=DEFAULTS.default_duration_seconds, ge=1)
    deadline_margin_seconds: Count = DEFAULTS.deadline_margin_seconds
    repacked_items: Count = DEFAULTS.repacked_items
    exact_groups: Count = DEFAULTS.exact_groups
    exact_columns: Count = DEFAULTS.exact_columns
    exact_nodes: Count = DEFAULTS.exact_nodes


NAMES = tuple(to_camel(name) for name in SettingsFile.model_fields)


def parse_settings(where: str, document: object) -> ScalingSettings:
    """Return the settings of a parsed document.

    Raises:
        InvalidInput: With one problem for each fault.
    """
    if document is None or not isinstance(document, dict):
        raise refuse(where, "", None, "has no settings", "lines such as keepAliveMaxSeconds: 900")
    try:
        told = SettingsFile.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(_describe(where, fault) for fault in error.errors()) from error
    if told.keep_alive_min_seconds > told.keep_alive_max_seconds:
        reason = f"is above keepAliveMaxSeconds = {told.keep_alive_max_seconds}"
        value = told.keep_alive_min_seconds
        raise refuse(where, "keepAliveMinSeconds", value, reason, "less")
    return ScalingSettings(**{name: getattr(told, name) for name in SettingsFile.model_fields})


def _describe(where: str, fault: ErrorDetails) -> Problem:
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        reason = f"is no setting of scaling{suggest(name, NAMES)}"
        return Problem(where, name, "", reason, f"one of {', '.join(NAMES)}")
    return Problem(where, name, repr(fault["input"]), "makes no sense", _expected(fault))


def _expected(fault: ErrorDetails) -> str:
    """Return what would be right ("Input should be a valid integer, …" → "a valid integer")."""
    return fault["msg"].removeprefix("Input should be ").partition(",")[0]
