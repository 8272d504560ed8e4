"""A drill against a real API server: notice, drain, the machine's end, the work's return."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from support.kubelet import NAMESPACE
from support.stage import POOLS, Story

from tidegate.controller.drilling import Driller

pytestmark = pytest.mark.slow

SAVED = "tidegate.dev/checkpoint-at"
RESUMED = "tidegate.dev/resumed-from"
ASKED = "tidegate.dev/checkpoint-requested"
LOOK = 15.0
OWNER = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "1", "controller": True}


class Workload:
    """A job whose pod saves itself when it is asked to, and comes back from there."""

    def __init__(self, story: Story, *, forgets: bool = False) -> None:
        self.story = story
        self.core = story.stage.kubelets["aws"].core
        self.forgets = forgets
        self.runs = 0
        self.saved = (story.clock.now() - timedelta(seconds=60)).isoformat()
        self.begin()

    def begin(self) -> None:
        """Start a pod, from the last checkpoint."""
        self.runs += 1
        begun = "2026-01-01T00:00:00+00:00" if self.forgets else self.saved
        notes = {SAVED: self.saved, RESUMED: begun}
        metadata = {"annotations": notes, "ownerReferences": [OWNER]}
        self.story.ask("aws", f"train-{self.runs}", metadata=metadata)

    def live(self) -> None:
        """Do what kubelet, job controller and the work itself do until the next look."""
        for pod in self._pods():
            notes = pod.metadata.annotations or {}
            ends = pod.metadata.deletion_timestamp is not None
            if ASKED in notes and not ends:
                self.saved = self.story.clock.now().isoformat()
                self._note(pod.metadata.name)
            if ends:
                self.core.delete_namespaced_pod(
                    pod.metadata.name, NAMESPACE, grace_period_seconds=0
                )
                self.begin()
        self.story.join("aws")
        self.story.leave("aws")
        if any(not node.spec.unschedulable for node in self._nodes()):
            self.story.wait_bound("aws", f"train-{self.runs}")
            self._report(f"train-{self.runs}")

    def _note(self, name: str) -> None:
        self.core.patch_namespaced_pod(
            name, NAMESPACE, {"metadata": {"annotations": {SAVED: self.saved}}}
        )

    def _report(self, name: str) -> None:
        ready = [{"type": "Ready", "status": "True"}]
        status = {"status": {"phase": "Running", "conditions": ready}}
        self.core.patch_namespaced_pod_status(name, NAMESPACE, status)

    def _pods(self) -> list[Any]:
        found = self.story.stage.kubelets["aws"].pods()
        return [pod for pod in found if pod.metadata.name.startswith("train-")]

    def _nodes(self) -> list[Any]:
        pool = POOLS["aws"]
        found = self.story.stage.kubelets["aws"].nodes().values()
        return [node for node in found if (node.metadata.labels or {}).get("capacity-pool") == pool]


def drill(story: Story, work: Workload, monkeypatch: pytest.MonkeyPatch) -> Any:
    async def pass_time(seconds: float) -> None:
        story.clock.ahead += seconds
        work.live()

    driller = Driller(story.controller, story.store, story.clock, LOOK)
    lines: list[str] = []

    async def go() -> Any:
        planned = await driller.plan(POOLS["aws"])
        with monkeypatch.context() as patched:
            patched.setattr("tidegate.controller.drilling.asyncio.sleep", pass_time)
            return await driller.run(planned, "ana", 600, lines.append)

    return story._runner.run(go())


@pytest.mark.parametrize("forgets", [False, True], ids=["resumes", "forgets"])
def test_a_drill_tells_work_that_resumes_from_work_that_forgets(
    story: Story, monkeypatch: pytest.MonkeyPatch, forgets: bool
) -> None:
    work = Workload(story, forgets=forgets)
    story.turn()
    work.live()
    story.turn(after=15)

    done = drill(story, work, monkeypatch)

    held = {check.name: check.held.value for check in done.checks}
    assert held == {
        "resume": "holds",
        "rework": "broken" if forgets else "holds",
        "idempotency": "broken" if forgets else "holds",
    }
    assert done.holds() is not forgets
    assert work.runs == 2
    assert story.size("aws") == 1
    assert done.planned.node.name not in story.stage.kubelets["aws"].nodes()
