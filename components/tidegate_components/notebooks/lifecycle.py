"""The script that a SageMaker notebook instance runs at each start."""

from __future__ import annotations

import base64
from importlib import resources

PERIOD_SECONDS = 300
"""How often the instance looks whether somebody works."""

MAX_CHARACTERS = 16384
"""SageMaker's limit for a lifecycle script, encoded (API reference,
NotebookInstanceLifecycleHook)."""

_SCRIPT = """#!/bin/bash
set -euo pipefail
install -d -m 0755 /opt/tidegate
cat > /opt/tidegate/stop_when_idle.py <<'TIDEGATE_END'
{program}TIDEGATE_END
cat > /etc/systemd/system/tidegate-stop-when-idle.service <<'TIDEGATE_END'
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 /opt/tidegate/stop_when_idle.py {arguments}
TIDEGATE_END
cat > /etc/systemd/system/tidegate-stop-when-idle.timer <<'TIDEGATE_END'
[Timer]
OnBootSec={period}
OnUnitActiveSec={period}
[Install]
WantedBy=timers.target
TIDEGATE_END
systemctl daemon-reload
systemctl enable --now tidegate-stop-when-idle.timer
"""


def render_script(idle_seconds: int, max_age_seconds: int | None, *, reports: bool = False) -> str:
    """Return the script: it installs a timer, because a root volume starts anew each time.

    Args:
        idle_seconds: After what idle time the instance stops itself.
        max_age_seconds: After what time it does so whatever it does; None for never.
        reports: Whether it also tells CloudWatch how it is used.
    """
    program = resources.files("tidegate_components.notebooks") / "stop_when_idle.py"
    arguments = f"--idle-seconds {idle_seconds}"
    if max_age_seconds:
        arguments += f" --max-age-seconds {max_age_seconds}"
    if reports:
        arguments += " --report"
    text = program.read_text(encoding="utf-8")
    return _SCRIPT.format(program=text, arguments=arguments, period=PERIOD_SECONDS)


def encode_script(idle_seconds: int, max_age_seconds: int | None, *, reports: bool = False) -> str:
    """Return the script as SageMaker takes it."""
    script = render_script(idle_seconds, max_age_seconds, reports=reports)
    return base64.b64encode(script.encode()).decode()
