"""A real run refuses what the local clouds left, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegate.engine.isolation import mark_local_state, refuse_local_leftovers, state_directory
from tidegate.vocabulary.problems import InvalidInput

REAL = {
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_ENDPOINT_URL": "https://vpce-1.s3.eu-west-1.vpce.amazonaws.com",
    "ARM_SUBSCRIPTION_ID": "9f1c1d0a-0000-4c6e-8d34-3f6f5d3c2b1a",
    "TIDEGATE_LOCAL": "",
    "HOME": "/home/ana",
}


def test_accepts_a_real_environment() -> None:
    refuse_local_leftovers(REAL, "s3://state")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIDEGATE_LOCAL", "1"),
        ("PULUMI_DEBUG_PROVIDERS", "aws:4711"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:5000"),
        ("AWS_ENDPOINT_URL_S3", "http://localhost:5000"),
        ("TIDEGATE_LOCAL_GCP_URL", "http://127.0.0.1:5001"),
        ("STORAGE_EMULATOR_HOST", "127.0.0.1:9"),
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("ARM_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000000"),
    ],
)
def test_refuses_each_leftover_by_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        refuse_local_leftovers({**REAL, name: value}, "s3://state")
    assert [problem.property for problem in caught.value.problems] == [name]


def test_refuses_a_state_that_describes_the_local_clouds(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/with%20space"
    mark_local_state(url)
    assert (tmp_path / "with space").is_dir()
    with pytest.raises(InvalidInput, match="another backend for real runs"):
        refuse_local_leftovers(REAL, url)
    refuse_local_leftovers(REAL, f"file://{tmp_path}/other")


def test_only_file_backends_have_a_folder() -> None:
    assert state_directory("s3://bucket/path") is None
    assert state_directory("file:///srv/state") == Path("/srv/state")
    assert state_directory("file://~/state") == Path("~/state").expanduser()
