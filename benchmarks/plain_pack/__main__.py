"""The checks of Tidegate's pack as one would write them by hand: one function a policy, for AWS.

It is the peer of `benchmarks/pack.py`: as many policies of the same kinds, without waivers,
unknowns, secrets, references or other clouds. Every policy but the labels' looks at one type.
"""

from __future__ import annotations

import re

from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy

REQUIRED = ("environment", "owner", "business-unit", "platform-project", "workload-class")
ALLOWED = {
    "environment": re.compile("dev|staging|prod"),
    "workload-class": re.compile("training|inference|notebook|platform"),
    "cost-center": re.compile("[a-z]+-[0-9]+"),
}
KNOWN = {*REQUIRED, "cost-center", "model", "dataset", "data-class", "service-level", "expires-on"}
BUCKET = "aws:s3/bucket:Bucket"
LOGS = "aws:cloudwatch/logGroup:LogGroup"
NODES = "aws:eks/nodeGroup:NodeGroup"
GROUP = "aws:autoscaling/group:Group"
NOTEBOOK = "aws:sagemaker/notebookInstance:NotebookInstance"
DOMAIN = "aws:sagemaker/domain:Domain"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
PLAN = "aws:savingsplans/plan:Plan"
BUDGET = "aws:budgets/budget:Budget"
NAMESPACE = "kubernetes:core/v1:Namespace"
FUNCTION = "aws:lambda/function:Function"
TARGET = "aws:appautoscaling/target:Target"


def read_tags(args):
    return args.props.get("tags") or {} if args.resource_type.startswith("aws:") else {}


def require_labels(args, report):
    if args.resource_type.startswith("aws:"):
        missing = [key for key in (*REQUIRED, "cost-center") if key not in read_tags(args)]
        if missing:
            report(f"lacks {', '.join(missing)}")


def allow_values(args, report):
    tags = read_tags(args)
    for key, pattern in ALLOWED.items():
        if key in tags and not pattern.fullmatch(tags[key]):
            report(f"{key} is {tags[key]}")


def declare_keys(args, report):
    for key in read_tags(args):
        if key not in KNOWN:
            report(f"{key} is no label of this estate")


def end_by_date(args, report):
    if read_tags(args).get("expires-on", "9999") < "2026-11-30":
        report("has outlived its expiry")


def agree_with_group(args, report):
    if args.resource_type == GROUP:
        for tag in args.props.get("tags") or []:
            if not tag.get("propagateAtLaunch"):
                report(f"{tag['key']} does not reach the instances")


def check(resource_type, broken, message):
    """Return a policy's function for one type."""

    def validate(args, report):
        if args.resource_type == resource_type and broken(args.props, args):
            report(message)

    return validate


def rules_of(props):
    return props.get("lifecycleRules") or []


def scaling(props):
    return props.get("scalingConfig") or {}


CHECKS = {
    "required-labels": require_labels,
    "allowed-values": allow_values,
    "declared-keys": declare_keys,
    "expiry": end_by_date,
    "agreement": agree_with_group,
    "lifecycle": check(BUCKET, lambda p, _: not rules_of(p), "has no lifecycle"),
    "uploads": check(
        BUCKET,
        lambda p, _: all("abortIncompleteMultipartUploadDays" not in r for r in rules_of(p)),
        "unfinished uploads stay",
    ),
    "versions": check(
        BUCKET,
        lambda p, _: (
            (p.get("versioning") or {}).get("enabled")
            and all("noncurrentVersionExpiration" not in r for r in rules_of(p))
        ),
        "old versions stay",
    ),
    "scratch": check(
        BUCKET,
        lambda p, a: "scratch" in a.name and all("expiration" not in r for r in rules_of(p)),
        "scratch data stays",
    ),
    "age": check(
        BUCKET,
        lambda p, _: any((r.get("expiration") or {}).get("days", 1) < 1 for r in rules_of(p)),
        "deletes at once",
    ),
    "tiers": check(
        BUCKET,
        lambda p, _: any(
            move.get("days", 30) < 30 for r in rules_of(p) for move in r.get("transitions") or []
        ),
        "moves too early",
    ),
    "residency": check(BUCKET, lambda p, _: p.get("region") == "cn-north-1", "leaves its region"),
    "gravity": check(NODES, lambda p, _: p.get("region") == "cn-north-1", "is far from its data"),
    "retention": check(
        LOGS, lambda p, _: not 0 < p.get("retentionInDays", 0) <= 30, "keeps logs too long"
    ),
    "log-class": check(
        LOGS, lambda p, _: p.get("logGroupClass", "STANDARD") != "STANDARD", "is of another class"
    ),
    "series": check(
        "aws:cloudwatch/logMetricFilter:LogMetricFilter",
        lambda p, _: len((p["metricTransformation"]).get("dimensions") or {}) > 3,
        "has too many labels",
    ),
    "debug": check(
        FUNCTION,
        lambda p, _: (
            ((p.get("environment") or {}).get("variables") or {}).get("LOG_LEVEL") == "DEBUG"
        ),
        "logs at debug level",
    ),
    "scale-to-zero": check(NODES, lambda p, _: scaling(p).get("minSize", 0) > 0, "never sleeps"),
    "group-to-zero": check(GROUP, lambda p, _: p.get("minSize", 0) > 0, "never sleeps"),
    "maximum": check(NODES, lambda p, _: scaling(p).get("maxSize", 0) > 16, "is too large"),
    "ceiling": check(GROUP, lambda p, _: p.get("maxSize", 0) > 16, "costs too much"),
    "endpoint-to-zero": check(TARGET, lambda p, _: p.get("minCapacity", 0) > 0, "never sleeps"),
    "endpoint-idle": check(TARGET, lambda p, _: p.get("maxCapacity", 0) > 16, "is too large"),
    "spot": check(NODES, lambda p, _: p.get("capacityType") != "SPOT", "does not use spot"),
    "no-spot": check(
        NODES,
        lambda p, a: (
            read_tags(a).get("workload-class") == "inference" and p.get("capacityType") == "SPOT"
        ),
        "must not be interrupted",
    ),
    "checkpoints": check(
        NODES,
        lambda p, a: p.get("capacityType") == "SPOT" and "checkpoint" not in read_tags(a),
        "says no interval",
    ),
    "notebook-idle": check(
        NOTEBOOK, lambda p, _: not p.get("lifecycleConfigName"), "does not stop when idle"
    ),
    "domain-idle": check(
        DOMAIN, lambda p, _: not p.get("defaultUserSettings"), "does not stop when idle"
    ),
    "acknowledged": check(
        RESERVATION, lambda _, a: "acknowledged-by" not in read_tags(a), "nobody answers for it"
    ),
    "protected": check(RESERVATION, lambda _, a: not a.opts.protect, "is not protected"),
    "ends": check(RESERVATION, lambda p, _: not p.get("endDate"), "has no end"),
    "renews": check(
        PLAN, lambda p, _: p.get("paymentOption") == "Partial Upfront", "is paid in advance"
    ),
    "term": check(PLAN, lambda p, _: p.get("durationSeconds", 0) > 94_608_000, "binds too long"),
    "never-replaced": check(PLAN, lambda _, a: not a.opts.protect, "may be replaced"),
    "notifies": check(BUDGET, lambda p, _: not p.get("notifications"), "tells nobody"),
    "budget-filter": check(BUDGET, lambda p, _: not p.get("costFilters"), "is for everything"),
    "quota": check(NAMESPACE, lambda p, _: not p.get("metadata"), "has no quota"),
}

PolicyPack(
    "plain",
    [
        ResourceValidationPolicy(
            name=name,
            description=name,
            validate=validate,
            enforcement_level=EnforcementLevel.ADVISORY,
        )
        for name, validate in CHECKS.items()
    ],
)
