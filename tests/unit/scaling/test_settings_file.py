from __future__ import annotations

import dataclasses
from decimal import Decimal

import pytest

from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.settings_file import SettingsFile, parse_settings
from tidegate.vocabulary.problems import InvalidInput


def test_every_setting_but_a_persons_overrides_may_be_written():
    named = {field.name for field in dataclasses.fields(ScalingSettings)}
    assert set(SettingsFile.model_fields) == named - {"overrides"}


def test_what_is_left_out_keeps_its_default():
    told = {"warmShare": "0.9", "keepAliveMaxSeconds": "900", "stopWithoutCheckpoint": "true"}
    assert parse_settings("fast.yaml", told) == ScalingSettings(
        warm_share=Decimal("0.9"), keep_alive_max_seconds=900, stop_without_checkpoint=True
    )
    assert parse_settings("fast.yaml", {}) == ScalingSettings()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"warmShare": "1.5"},
            "f: warmShare = '1.5': makes no sense; expected less than or equal to 1",
        ),
        (
            {"keepAliveMaxSeconds": "-1"},
            "f: keepAliveMaxSeconds = '-1': makes no sense; expected greater than or equal to 0",
        ),
        (
            {"bootPatience": "often"},
            "f: bootPatience = 'often': makes no sense; expected a valid integer",
        ),
        (
            {"keepAliveMinSeconds": "4000"},
            "f: keepAliveMinSeconds = 4000: is above keepAliveMaxSeconds = 3600; expected less",
        ),
        (None, "f: has no settings; expected lines such as keepAliveMaxSeconds: 900"),
        (["a"], "f: has no settings; expected lines such as keepAliveMaxSeconds: 900"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_with_what_would_be_right(told, said):
    with pytest.raises(InvalidInput) as caught:
        parse_settings("f", told)
    assert str(caught.value) == said


def test_a_name_that_is_no_setting_is_told_with_the_nearest():
    with pytest.raises(InvalidInput) as caught:
        parse_settings("f", {"warmshare": "0.5"})
    assert str(caught.value).startswith(
        "f: warmshare: is no setting of scaling (did you mean 'warmShare'?); expected one of "
    )
