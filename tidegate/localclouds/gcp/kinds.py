"""Every kind of resource that Google keeps as it was given."""

from __future__ import annotations

from tidegate.localclouds.gcp import (
    ai_kinds,
    billing_kinds,
    compute_kinds,
    future_kinds,
    group_kinds,
    iam_kinds,
    logging_kinds,
    notebook_kinds,
    pubsub_kinds,
    template_kinds,
)

KINDS = (
    *ai_kinds.KINDS,
    *billing_kinds.KINDS,
    *compute_kinds.KINDS,
    *logging_kinds.KINDS,
    *pubsub_kinds.KINDS,
    future_kinds.FUTURE_KIND,
    group_kinds.GROUP_KIND,
    group_kinds.ZONE_GROUP_KIND,
    iam_kinds.ACCOUNT_KIND,
    iam_kinds.ROLE_KIND,
    notebook_kinds.NOTEBOOK_KIND,
    template_kinds.REGION_TEMPLATE_KIND,
    template_kinds.TEMPLATE_KIND,
)
