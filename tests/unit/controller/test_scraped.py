"""The controller's figures, as a real Prometheus scrapes them."""

from __future__ import annotations

from support.prometheus import Target, run_prometheus

from tidegate.controller.face import Face, Views
from tidegate.controller.metrics import ControllerMetrics

TOKEN = "a-token-of-some-length"


def test_prometheus_scrapes_the_figures_with_the_token_and_nothing_without(tmp_path):
    metrics = ControllerMetrics()
    metrics.note_lead(leads=True)
    metrics.note_failure("unavailable")
    face = Face("127.0.0.1", 0, Views(lambda: "", metrics.render, dict, lambda: 0.0), TOKEN)
    address = f"127.0.0.1:{face.port}"
    targets = {
        "controller": Target(address, token=TOKEN),
        "stranger": Target(address, token="another-token-entirely"),
    }
    try:
        with run_prometheus(tmp_path, targets) as server:
            found = {
                query: [float(series["value"][1]) for series in server.wait_for(query)]
                for query in (
                    'up{job="controller"} == 1',
                    'up{job="stranger"} == 0',
                    'tidegate_leads{job="controller"}',
                    'tidegate_tick_failures_total{kind="unavailable"}',
                )
            }
            of_the_stranger = server.query('tidegate_leads{job="stranger"}')
    finally:
        face.close()

    assert list(found.values()) == [[1.0], [0.0], [1.0], [1.0]]
    assert of_the_stranger == []
