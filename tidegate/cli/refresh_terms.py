"""What messages of `tidegate catalog refresh` call things."""

from __future__ import annotations

COMMAND = "tidegate catalog refresh"
KEY_VARIABLE = "TIDEGATE_GCP_API_KEY"
