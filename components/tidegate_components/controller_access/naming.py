"""What the resources of the controller's access may be called."""

from __future__ import annotations

from tidegate_components.names import PULUMI_SUFFIX, NameRule

IAM_ROLE = NameRule(
    "IAM role",
    64,
    r"[-+=,.@_A-Za-z0-9]+",
    "letters, digits and '+=,.@_-'",
    suffix=PULUMI_SUFFIX,
)
GCP_ROLE = NameRule(
    "custom role",
    64,
    r"[A-Za-z0-9_.]{3,}",
    "at least 3 letters, digits, '_' and '.'",
    hyphens=False,
    # A dot and the scope stand after it.
    suffix=10,
)
GCP_ACCOUNT = NameRule(
    "service account",
    30,
    r"[a-z]([-a-z0-9]{4,}[a-z0-9])",
    "at least 6 lowercase letters, digits and '-', starting with a letter",
    letter_first=True,
)
FEDERATED_CREDENTIAL = NameRule(
    "federated identity credential",
    120,
    r"[A-Za-z0-9][-_A-Za-z0-9]{2,}",
    "at least 3 letters, digits, '-' and '_', starting with a letter or digit",
)
