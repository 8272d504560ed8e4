"""The columns of a stream's table in Log Analytics."""

from __future__ import annotations

COLUMNS = (
    ("TimeGenerated", "dateTime"),
    ("CapacityPool", "string"),
    ("RunId", "string"),
    ("Message", "string"),
    ("SeverityNumber", "int"),
    ("Attributes", "dynamic"),
)
