"""A policy pack that judges nothing and writes down what the engine shows it.

`TIDEGATE_RECORDING=FILE pulumi preview --policy-pack tests/policies/recorder` appends one JSON line
a call: `{"call": "Analyze", "request": …}`. `record.py` makes fixtures of it.
"""

# ruff: noqa: N802 - the methods carry the names of the protocol
from __future__ import annotations

import json
import os
from pathlib import Path

import pulumi_policy.policy as sdk
from google.protobuf import json_format
from pulumi_policy import PolicyPack, ResourceValidationPolicy

RECORDING = Path(os.environ["TIDEGATE_RECORDING"])


class Recorder(sdk._PolicyAnalyzerServicer):
    def Analyze(self, request, _context):
        self._write("Analyze", request)
        return sdk.proto.AnalyzeResponse()

    def AnalyzeStack(self, request, _context):
        self._write("AnalyzeStack", request)
        return sdk.proto.AnalyzeResponse()

    def ConfigureStack(self, request, context):
        self._write("ConfigureStack", request)
        return super().ConfigureStack(request, context)

    def _write(self, call, request):
        line = json.dumps({"call": call, "request": json_format.MessageToDict(request)})
        with RECORDING.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


sdk._PolicyAnalyzerServicer = Recorder
PolicyPack(
    "recorder",
    [ResourceValidationPolicy(name="none", description="Records", validate=lambda *_: None)],
)
