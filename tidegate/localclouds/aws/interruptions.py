"""Spot Instances that EC2 takes back on command: by the fault `interruption`.

An interruption is journaled as a request of this process's own, so that a replay ends the same
instance at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tidegate.localclouds.aws.actions import Answer, find_action, find_region, render_error
from tidegate.localclouds.aws.corrections.interruptions import (
    interrupt_instance,
    list_spot_instances,
)
from tidegate.localclouds.aws.journal import Entry
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.faults import FaultKind, Faults

ACTION = "SendSpotInstanceInterruption"
OTHER_KINDS = frozenset(FaultKind) - {FaultKind.INTERRUPTION}
HIT = {FaultKind.INTERRUPTION}


def find_interruptions(faults: Faults) -> Iterator[Entry]:
    """Yield a request for each instance that the faults in force hit, each using one count up.

    A fault's target is a glob over "ec2:SendSpotInstanceInterruption/<group>/<instance id>", where
    the group is that of Auto Scaling, "-" without one.
    """
    in_force = [fault for fault in faults.list() if fault.cloud in ("aws", "*")]
    if not HIT & {fault.kind for fault in in_force}:
        return
    for region, group, instance_id in list_spot_instances(ACCOUNT_ID):
        if faults.take("aws", f"ec2:{ACTION}/{group}/{instance_id}", OTHER_KINDS):
            yield _build_entry(region, instance_id)


def _build_entry(region: str, instance_id: str) -> Entry:
    scope = f"AWS4-HMAC-SHA256 Credential=local/20260101/{region}/ec2/aws4_request"
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/",
        "HTTP_AUTHORIZATION": scope,
        "HTTP_X_AMZ_TARGET": f"TidegateLocalClouds.{ACTION}",
    }
    return Entry(environ, json.dumps({"instanceId": instance_id}).encode())


def answer_interruption(entry: Entry) -> Answer | None:
    """Interrupt the instance that a request names; None when it asks for something else."""
    from moto.ec2.exceptions import EC2ClientError

    if find_action(entry) != ACTION:
        return None
    try:
        warned = interrupt_instance(
            ACCOUNT_ID, find_region(entry), json.loads(entry.body)["instanceId"]
        )
    except EC2ClientError as error:
        return render_error(entry, error.code, error.message, 400)
    body = json.dumps({"warned": warned}).encode()
    return "200 OK", [("content-type", "application/json")], body
