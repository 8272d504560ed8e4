"""Cloud names derived from one id, within each cloud's limits, without collisions.

A name that would be cut or rewritten gets a hash of the whole id, so that two ids never meet in
one name. A name that the user gives is never changed: it fits or it is refused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from tidegate_components.arguments import Arguments

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class NameRule:
    """What one kind of cloud resource may be called.

    Attributes:
        what: The resource in the cloud's words ("AKS agent pool").
        limit: The longest name.
        grammar: The pattern that a whole name matches.
        says: The grammar for people.
        hyphens: Whether hyphens are allowed.
        hash_length: Characters of the hash in a derived name.
        suffix: Characters that the provider appends to a derived name; 0 when it appends none.
        letter_first: Whether a name starts with a letter.
    """

    what: str
    limit: int
    grammar: str
    says: str
    hyphens: bool = True
    hash_length: int = 6
    suffix: int = 0
    letter_first: bool = False


PULUMI_SUFFIX = 8
"""A hyphen and seven hexadecimal digits, which Pulumi appends to names it chooses."""

EKS_NODE_GROUP = NameRule(
    "EKS node group",
    63,
    r"[A-Za-z0-9][-_A-Za-z0-9]*",
    "letters, digits, '-' and '_'",
    suffix=PULUMI_SUFFIX,
)
GKE_NODE_POOL = NameRule(
    "GKE node pool",
    40,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter, ending with no '-'",
    suffix=PULUMI_SUFFIX,
    letter_first=True,
)
AKS_AGENT_POOL = NameRule(
    "AKS agent pool",
    12,
    r"[a-z][a-z0-9]*",
    "lowercase letters and digits, starting with a letter",
    hyphens=False,
    hash_length=5,
    letter_first=True,
)
AUTO_SCALING_GROUP = NameRule(
    "EC2 Auto Scaling group",
    255,
    r"[A-Za-z0-9][-_.A-Za-z0-9]*",
    "letters, digits, '-', '_' and '.'",
    suffix=PULUMI_SUFFIX,
)
KARPENTER_NODE_POOL = NameRule(
    "Karpenter NodePool",
    63,
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', not at either end",
)
S3_BUCKET = NameRule(
    "S3 bucket",
    63,
    r"[a-z0-9][-a-z0-9]{1,}[a-z0-9]",
    "at least 3 lowercase letters, digits and '-'",
    suffix=PULUMI_SUFFIX,
)
GCS_BUCKET = NameRule(
    "Cloud Storage bucket",
    63,
    r"(?!goog)(?!.*google)[a-z0-9][-_a-z0-9]{1,}[a-z0-9]",
    "at least 3 lowercase letters, digits, '-' and '_', without 'google'",
    suffix=PULUMI_SUFFIX,
)
STORAGE_ACCOUNT = NameRule(
    "Azure storage account",
    24,
    r"[a-z0-9]{3,}",
    "at least 3 lowercase letters and digits",
    hyphens=False,
    suffix=PULUMI_SUFFIX,
)
GCP_RESERVATION = NameRule(
    "Compute Engine reservation",
    63,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter",
    letter_first=True,
)
LOG_WORKSPACE = NameRule(
    "Log Analytics workspace",
    63,
    r"[A-Za-z0-9][-A-Za-z0-9]{2,}[A-Za-z0-9]",
    "at least 4 letters, digits and '-'",
    suffix=PULUMI_SUFFIX,
)

SAGEMAKER_NAME = NameRule(
    "SageMaker",
    63,
    r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?",
    "letters, digits and '-', not at either end",
    suffix=PULUMI_SUFFIX,
)
VERTEX_RESOURCE_POOL = NameRule(
    "Vertex deployment resource pool",
    63,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter",
    suffix=PULUMI_SUFFIX,
    letter_first=True,
)
AZURE_ML_ENDPOINT = NameRule(
    "Azure ML online endpoint",
    32,
    r"[A-Za-z][-A-Za-z0-9]{1,}[A-Za-z0-9]",
    "at least 3 letters, digits and '-', starting with a letter",
    letter_first=True,
)
AZURE_ML_COMPUTE = NameRule(
    "Azure ML compute",
    24,
    r"[A-Za-z][-A-Za-z0-9]{1,}[A-Za-z0-9]",
    "at least 3 letters, digits and '-', starting with a letter",
    letter_first=True,
)
WORKBENCH_INSTANCE = NameRule(
    "Vertex Workbench instance",
    63,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter",
    suffix=PULUMI_SUFFIX,
    letter_first=True,
)


def derive_name(identifier: str, rule: NameRule) -> str:
    """Return a name for `identifier` within the rule, with room for the provider's suffix.

    The id itself, where it fits unchanged; otherwise what fits of it and a hash of all of it.
    """
    room = rule.limit - rule.suffix
    wanted = identifier if rule.hyphens else identifier.replace("-", "")
    fits = not rule.letter_first or wanted[:1].isalpha()
    if wanted == identifier and len(wanted) <= room and fits:
        return wanted
    stem = wanted if fits else f"n{wanted}"
    joint = "-" if rule.hyphens else ""
    stem = stem[: room - rule.hash_length - len(joint)].rstrip("-")
    return f"{stem}{joint}{_digest(identifier, rule.hash_length)}"


def derive_number(identifier: str, digits: int) -> str:
    """Return a number of exactly so many digits, without a leading zero, for `identifier`."""
    number = int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:16], "big")
    lowest = 10 ** (digits - 1)
    return str(lowest + number % (9 * lowest))


def explain_name(name: str, rule: NameRule) -> str:
    """Return why a given name is not allowed, or "" when it is."""
    if len(name) > rule.limit:
        article = "an" if rule.what.startswith(("A", "E", "S3")) else "a"
        return f"has {len(name)} characters, and {article} {rule.what} name may have {rule.limit}"
    if not re.fullmatch(rule.grammar, name):
        return f"is not a valid {rule.what} name"
    return ""


def check_identifier(read: Arguments, name: str) -> None:
    """Refuse an id that could not be a cost label, a Kubernetes name and a manifest id alike."""
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        reason = "is not an id that every cloud's labels and Kubernetes take"
        expected = "1 to 63 lowercase letters, digits and '-', not at either end"
        read.refuse("", name, reason, expected)


def check_derived_name(read: Arguments, identifier: str, rule: NameRule) -> None:
    """Refuse an id whose derived name its cloud would refuse: one that is too short."""
    reason = explain_name(derive_name(identifier, rule), rule)
    if reason:
        read.refuse("", identifier, reason, describe_rule(rule))


def describe_rule(rule: NameRule) -> str:
    """Return what a name must be, for an error message."""
    return f"at most {rule.limit} characters: {rule.says}"


def _digest(identifier: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:16], "big")
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        digits += _ALPHABET[digit]
    return digits
