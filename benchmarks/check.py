"""`tidegate check` of large inputs, against OPA alone and against a program under bare mocks.

Usage: check.py [REPEATS]. A preview of 10,000 resources is checked by the command line, and
`opa eval` is given the same prepared input with the same rules, in turns, and so is `conftest`
(built of its pinned module where there is none). A program of 1,000 resources is checked, and run
by itself under the SDK's own mocks. The peak memory is of a check of 50,000 resources, with and
without its OPA.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest_program import find_conftest
from figures import print_figure

from tidegate.opa.pack import find_pack, load_rules
from tidegate.opa.program import find_opa
from tidegate.policy.document import build_document
from tidegate.policy.parameters import build_parameters
from tidegate.policy.preview import read_preview

ROOT = Path(__file__).resolve().parent.parent
LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
HEAD = "urn:pulumi:prod::bench::"
CHECK = (sys.executable, "-c", "from tidegate.cli.main import run; run()", "check")
PROGRAM = """
import pulumi_aws as aws
LABELS = %r
for number in range(%d):
    aws.s3.Bucket(f"bucket-{number}", tags=LABELS)
"""
# conftest asks for `deny` in `main`; the rules answer with verdicts.
DENIALS = """
package main
deny contains verdict.message if {
    some verdicts in data.tidegate.main.answers
    some verdict in verdicts
    verdict.outcome == "fail"
}
"""
MOCKS = """
import sys
import pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return args.name, args.inputs
    def call(self, args):
        return {}
pulumi.runtime.set_mocks(Mocks(), project="bench", stack="prod", preview=True)
@pulumi.runtime.test
def main():
    exec(open(sys.argv[1]).read())
main()
"""


def main(repeats: int) -> None:
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as name:
        folder = Path(name)
        measure_preview(folder, repeats)
        measure_program(folder, repeats)
        preview = write_preview(folder / "large.json", 50_000)
        measure_memory(preview)


def measure_preview(folder: Path, repeats: int) -> None:
    preview = write_preview(folder / "preview.json", 10_000)
    prepared = prepare(preview, folder / "input.json")
    pack = find_pack()
    evaluate = [str(find_opa()), "eval", "--format=json", f"--input={prepared}"]
    evaluate += ["--strict-builtin-errors", "--ignore=*_test.rego", "--ignore=*.md"]
    evaluate += [f"--data={pack / 'lib'}", f"--data={pack / 'rules'}", "data.tidegate.main.answers"]
    other = find_conftest(ROOT)
    test = [str(other), "test", str(prepared), "--no-fail", f"--policy={folder / 'denials.rego'}"]
    test += [f"--policy={pack / 'lib'}", f"--policy={pack / 'rules'}"]
    (folder / "denials.rego").write_text(DENIALS)
    ours, alone, conftest = [], [], []
    for _ in range(repeats):
        ours.append(seconds_of([*CHECK, f"--preview={preview}", "--format=json"]))
        alone.append(seconds_of(evaluate))
        if other:
            conftest.append(seconds_of(test))
    print_figure("check.preview_10000", ours, "s", baseline=alone, goal=1.5)
    if conftest:
        print_figure("check.preview_10000.over_conftest", ours, "s", baseline=conftest)


def measure_program(folder: Path, repeats: int) -> None:
    project = folder / "program"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: bench\nruntime: python\n")
    (project / "__main__.py").write_text(PROGRAM % (LABELS, 1000))
    (folder / "mocks.py").write_text(MOCKS)
    ours, bare = [], []
    for _ in range(repeats):
        ours.append(seconds_of([*CHECK, f"--program={project}", "--format=json"]))
        command = [sys.executable, str(folder / "mocks.py"), str(project / "__main__.py")]
        bare.append(seconds_of(command))
    print_figure("check.program_1000", ours, "s", baseline=bare, goal=1.3)


def measure_memory(preview: Path) -> None:
    """Print the most that a check and its OPA held together, the check's own part, and the time."""
    began = time.perf_counter()
    ours, together = 0.0, 0.0
    with subprocess.Popen(
        [*CHECK, f"--preview={preview}", "--format=json"], stdout=subprocess.DEVNULL, cwd="/"
    ) as check:
        while check.poll() is None:
            own = resident_mb(check.pid)
            ours = max(ours, own)
            together = max(together, own + sum(map(resident_mb, children_of(check.pid))))
            time.sleep(0.02)
    print_figure("check.preview_50000", [time.perf_counter() - began], "s")
    print_figure("check.preview_50000.memory", [together], "MB", goal=700)
    print_figure("check.preview_50000.memory_without_opa", [ours], "MB")


def children_of(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def write_preview(path: Path, count: int) -> Path:
    steps = []
    for number in range(count):
        token = "aws:s3/bucket:Bucket" if number % 2 else "aws:cloudwatch/logGroup:LogGroup"
        urn = f"{HEAD}{token}::it-{number}"
        inputs = {"tags": LABELS, "tagsAll": LABELS, "retentionInDays": 30, "name": f"it-{number}"}
        state = {"urn": urn, "type": token, "custom": True, "inputs": inputs, "provider": ""}
        steps.append({"op": "create", "urn": urn, "newState": state})
    document = {"config": {}, "steps": steps, "changeSummary": {"create": count}}
    path.write_text(json.dumps(document))
    return path


def prepare(preview: Path, path: Path) -> Path:
    graph = read_preview(str(preview), json.loads(preview.read_text())).graph
    rules = load_rules(find_pack()).rules
    parameters = {rule.id: build_parameters(rule.id, rule.parameters, {}) for rule in rules}
    path.write_text(json.dumps(build_document(graph, parameters)))
    return path


def seconds_of(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ, cwd="/")
    return time.perf_counter() - began


main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
