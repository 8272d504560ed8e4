"""`tidegate`: one command line, one file a command group."""

from __future__ import annotations

import importlib
import sys

import typer

from tidegate import __version__
from tidegate.vocabulary.problems import InvalidInput

# Each group lives in its own module, which has one `app`; what is not asked for is not imported.
GROUPS = {
    "catalog": "Prices and offerings of accelerated capacity, by cloud and region.",
    "local": "The embedded local clouds: start, look at, reset and stop them.",
    "manifest": "Show, check and compare capacity manifests.",
}
