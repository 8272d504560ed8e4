from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from tidegate.traces.options import PUBLISHED, TraceOptions
from tidegate.traces.published import read_published
from tidegate.vocabulary.problems import InvalidInput

OPTIONS = TraceOptions("h100-80gb", 8, 1800)
PHILLY = (
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-10-01 00:01:00,60.0,12,720.0,a\n"
    "2017-09-24 23:59:00,300.0,1,300.0,a\n"
    "2017-10-01 00:01:00,60.0,12,720.0,a\n"
    "2017-11-09 23:00:00,7200.0,2,0.0,b\n"
    "2017-08-01 00:00:00,60.0,2,0.0,b\n"
)


def span(since: str | None = None, until: str | None = None, **changes) -> TraceOptions:
    ends = [
        datetime.fromisoformat(end).replace(tzinfo=UTC) if end else None for end in (since, until)
    ]
    told = {"accelerator": "h100-80gb", "node_size": 4, "checkpoint_seconds": 0} | changes
    return TraceOptions(**told, since=ends[0], until=ends[1])


@pytest.fixture
def philly(tmp_path):
    path = tmp_path / "philly.csv"
    path.write_text(PHILLY)
    return path


def test_philly_is_sorted_clipped_to_its_span_and_tells_what_was_left_out(philly):
    found = read_published("philly", philly, OPTIONS)
    assert [(job.submitted, job.seconds, job.accelerators()) for job in found.jobs] == [
        (0, 240, 1),
        (6 * 86_400 + 60, 60, 12),
        (45 * 86_400 + 23 * 3600, 3600, 2),
    ]
    assert found.left_out == {"repeated rows": 1, "outside the window": 1}
    assert (found.clipped, found.end) == (2, 46 * 86_400)
    assert found.assumed == ("each GPU is a h100-80gb", "jobs save themselves every 1800 s")
    assert found.jobs[0].shape.checkpoint.interval_seconds == 1800


def test_a_cluster_a_window_and_the_size_of_nodes_may_be_chosen(philly):
    found = read_published("philly", philly, span("2017-10-01", "2017-10-02", cluster="a"))
    (only,) = found.jobs
    assert (only.submitted, only.shape.workers, only.shape.checkpoint) == (60, 3, None)
    assert found.start == datetime(2017, 10, 1, tzinfo=UTC)


def test_a_window_may_lie_outside_of_the_usual_span(philly):
    early = read_published("philly", philly, span(until="2017-09-01"))
    assert [(job.submitted, job.seconds) for job in early.jobs] == [(0, 60)]
    late = read_published("philly", philly, span(since="2017-11-10"))
    assert [(job.submitted, job.seconds) for job in late.jobs] == [(0, 3600)]


def test_a_gzipped_trace_reads_alike(philly, tmp_path):
    packed = tmp_path / "philly.csv.gz"
    packed.write_bytes(gzip.compress(PHILLY.encode()))
    assert read_published("philly", packed, OPTIONS) == read_published("philly", philly, OPTIONS)


def refused(name, path, options=OPTIONS) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_published(name, path, options)
    return str(caught.value)


def test_a_trace_that_is_not_there_is_told_with_where_it_is_published(tmp_path):
    path = tmp_path / "absent"
    assert refused("philly", path) == f"{path}: is not there; expected {PUBLISHED['philly']}"
    assert refused("helios", path) == f"{path}: is not there; expected {PUBLISHED['helios']}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id,seconds\na,1\n", "row 1: is not as published; expected columns timestamp"),
        (
            b"timestamp,duration,num_gpus,gpu_time,cluster\nsoon,1,1,1,a\n",
            "is not the trace as published (Invalid isoformat string: 'soon'); expected philly.csv",
        ),
        (b"\xff\xfe\x00", "is not the trace as published ("),
    ],
)
def test_a_file_that_is_not_the_trace_is_refused(tmp_path, content, said):
    path = tmp_path / "philly.csv"
    path.write_bytes(content)
    assert said in refused("philly", path)


def test_a_file_that_is_no_gzip_is_refused(tmp_path):
    path = tmp_path / "philly.csv.gz"
    path.write_bytes(b"timestamp")
    assert "cannot be read (Not a gzipped file" in refused("philly", path)


def test_an_unknown_cluster_is_told_with_the_nearest(philly):
    assert refused("philly", philly, span(cluster="aa")) == (
        f"{philly}: --cluster = 'aa': is no virtual cluster of the trace (did you mean 'a'?); "
        "expected one of a, b"
    )


def test_a_window_without_work_is_refused(philly):
    said = refused("philly", philly, span("2017-12-01", "2017-12-02"))
    assert "has no jobs between --from and --until" in said


def test_minutes_that_helios_did_not_record_are_left_out_and_told(tmp_path):
    told = {"2020-05-09 23:55:00": 3, "2020-05-09 23:56:00": 0, "2020-05-11 00:00:00": 4}
    rows = "time,running_gpu_num\n" + "".join(f"{time},{count}\n" for time, count in told.items())
    (tmp_path / "vcx_cluster_sequence.csv").write_text(rows)
    found = read_published("helios", tmp_path, OPTIONS)
    assert sorted((job.submitted, job.seconds) for job in found.jobs) == [
        (0, 120),
        (0, 120),
        (0, 120),
        (60, 60),
    ]
    assert found.left_out == {"minutes not recorded": 1444 + 121}
    assert (found.divisible, found.end, found.clipped) == (True, 120, 7)
    later = read_published("helios", tmp_path, span("2020-05-11", "2020-05-12", cluster="vcx"))
    assert (len(later.jobs), later.left_out, later.start.day) == (4, {}, 11)
