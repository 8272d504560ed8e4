"""Make the fixture of `tests/policies/data` from a recording.

    python tests/policies/recorder/record.py RECORDING.jsonl > tests/policies/data/preview.json

The recording comes from a preview of `program.py` (as `__main__.py` of a project "recorded", stack
"dev", with `aws:region`, `gcp:project` and `recorded:environment: prod` configured) on the local
clouds, with this directory as its policy pack.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

PACKAGES = ("pulumi", "pulumi-policy", "pulumi-aws", "pulumi-gcp", "pulumi-azure-native")


def main() -> None:
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    cli = subprocess.run(["pulumi", "version"], capture_output=True, text=True, check=True)
    origin = {
        "what": "the analyzer protocol of a preview on the local clouds, tests/policies/recorder",
        "date": datetime.now(UTC).date().isoformat(),
        "pulumi CLI": cli.stdout.strip(),
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }
    calls = [json.loads(line) for line in lines]
    json.dump({"origin": origin, "calls": calls}, sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


main()
