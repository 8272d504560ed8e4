from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tidegate.traces.public import (
    build_unit_jobs,
    read_azure_llm,
    read_genai,
    read_genai_idle,
    read_helios,
    read_philly,
    read_servegen,
    read_spot,
)


def pack(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


def test_philly_is_sorted_repeats_count_once_and_large_jobs_are_gangs(tmp_path):
    rows = (
        "timestamp,duration,num_gpus,gpu_time,cluster\n"
        "2017-09-25 00:01:00,60.0,12,720.0,a\n"
        "2017-09-24 23:59:00,300.0,1,300.0,a\n"
        "2017-09-25 00:01:00,60.0,12,720.0,a\n"
        "2017-09-25 00:02:00,0.0,2,0.0,b\n"
    )
    found = read_philly(pack(tmp_path / "philly.csv.gz", rows), None)
    assert [(j.submitted, j.seconds, j.accelerators()) for j in found["a"]] == [
        (-60, 300, 1),
        (60, 60, 12),
    ]
    assert found["a"][1].shape.workers == 2
    assert found["b"][0].seconds == 1


def test_minutes_that_helios_did_not_record_are_left_out(tmp_path):
    told = {"2020-05-09 23:55:00": 3, "2020-05-09 23:56:00": 0, "2020-05-11 00:00:00": 4}
    rows = "time,running_gpu_num\n" + "".join(f"{time},{count}\n" for time, count in told.items())
    pack(tmp_path / "vcx_cluster_sequence.csv.gz", rows)
    assert read_helios(tmp_path)["vcx"].tolist() == [3, 4]


def test_units_add_up_to_the_level_and_the_oldest_ends_first():
    level = [2, 3, 1, 1, 0, 2]
    jobs = build_unit_jobs(level, "x", None)
    for minute, count in enumerate(level):
        running = [j for j in jobs if j.submitted <= minute * 60 < j.submitted + j.seconds]
        assert len(running) == count
    assert sorted((j.submitted, j.seconds) for j in jobs)[:2] == [(0, 120), (0, 120)]


def test_spot_traces_are_read_by_zone(tmp_path):
    told = {"metadata": {"gap_seconds": 195}, "data": [1, 0, 1]}
    pack(tmp_path / "us-east-1a_v100_1.json.gz", json.dumps(told))
    found = read_spot(tmp_path)["us-east-1a"]
    assert (found.tick_seconds, found.nodes.tolist()) == (195, [1, 0, 1])


def test_windows_are_joined_by_lines_and_holes_are_bridged(tmp_path):
    rows = "window_start_s,requests_per_s,active_clients\n0,10,1\n600,0,0\n1200,30,1\n"
    found = read_servegen(pack(tmp_path / "rate.csv.gz", rows))
    assert (len(found), found[0], found[10], found[20]) == (30, 10, 20, 30)


def test_single_requests_are_averaged_over_ten_minutes(tmp_path):
    rows = "timestamp_anon,value,container_ip,request_type\n"
    rows += "".join(f"{second},{value},,API Requests\n" for second, value in ((0, 1), (300, 3)))
    rows += "700,4,,API Requests\n10,99,x,Generative Requests\n"
    found = read_genai(pack(tmp_path / "qps.csv.gz", rows))
    assert (len(found), found[0], found[10]) == (20, 2, 4)


def test_the_trace_itself_has_the_jobs_that_are_told_of():
    path = Path(__file__).resolve().parents[4] / "shared/data/traces/philly"
    file = path / "philly_to_2017-11-09.csv.gz"
    if not file.exists():
        pytest.skip(f"{file.name} is not there: see the evaluation for where it is published")
    found = read_philly(file, None)
    assert (len(found), sum(len(jobs) for jobs in found.values())) == (13, 58_731)
    assert np.all([job.seconds >= 1 for jobs in found.values() for job in jobs])


def test_requests_of_the_azure_trace_are_counted_by_whole_minutes(tmp_path):
    rows = "".join(
        f"2023-11-16 {time}.1230000,10,5\n"
        for time in ("18:00:00", "18:00:30", "18:02:59", "18:03:01")
    )
    path = pack(tmp_path / "azure.csv.gz", f"TIMESTAMP,ContextTokens,GeneratedTokens\n{rows}")
    assert read_azure_llm(path).tolist() == [2 / 60, 0, 1 / 60]


def test_duty_is_told_by_container_in_the_order_of_time(tmp_path):
    rows = "value,timestamp_anon,container_ip\n0.0,57.0,a\n12.5,0.0,a\n0.0,0.0,b\n"
    found = read_genai_idle(pack(tmp_path / "duty.csv.gz", rows))
    assert {name: busy.tolist() for name, busy in found.items()} == {
        "a": [True, False],
        "b": [False],
    }
