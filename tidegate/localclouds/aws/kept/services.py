"""All kept services behind one question: is this request one of theirs, and what is the answer?"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.actions import Answer, find_service, name_action, render_error
from tidegate.localclouds.aws.journal import Entry
from tidegate.localclouds.aws.kept import access_entries, pod_identities
from tidegate.localclouds.aws.kept.access_entries import ACCESS_ENTRIES
from tidegate.localclouds.aws.kept.anomalies import COST_EXPLORER
from tidegate.localclouds.aws.kept.calls import Asked, parse_asked, render_answer
from tidegate.localclouds.aws.kept.kinds import Handler
from tidegate.localclouds.aws.kept.pod_identities import POD_IDENTITIES
from tidegate.localclouds.aws.kept.sagemaker import INFERENCE
from tidegate.localclouds.aws.kept.sagemaker_apps import APPS
from tidegate.localclouds.aws.kept.sagemaker_components import COMPONENTS
from tidegate.localclouds.aws.kept.sagemaker_studio import STUDIO
from tidegate.localclouds.aws.kept.savings_plans import SAVINGS_PLANS
from tidegate.localclouds.aws.kept.scaling_targets import SCALING
from tidegate.localclouds.aws.kept.shelves import Shelves
from tidegate.localclouds.aws.kept.snapshots import SNAPSHOTS
from tidegate.localclouds.aws.kept.tagging import build_tag_handlers
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.refusals import CloudError


def _forget_cluster(asked: Asked) -> None:
    """Drop what is kept of a cluster that goes; moto deletes the cluster itself, or refuses."""
    name = asked.parameters["name"]
    cluster = access_entries.find_cluster(asked, name)
    if cluster is not None and not cluster.nodegroups:
        access_entries.forget_cluster(asked, name)
        pod_identities.forget_cluster(asked, name)


_BY_RESOURCE = ("ListTagsForResource", "TagResource", "UntagResource")
HANDLERS: Mapping[str, Mapping[str, Handler]] = {
    "sagemaker": {
        **APPS,
        **COMPONENTS,
        **INFERENCE,
        **STUDIO,
        **build_tag_handlers(("ListTags", "AddTags", "DeleteTags"), "Tags", as_pairs=True),
    },
    "application-autoscaling": {
        **SCALING,
        **build_tag_handlers(_BY_RESOURCE, "Tags", as_pairs=False),
    },
    "ce": {**COST_EXPLORER, **build_tag_handlers(_BY_RESOURCE, "ResourceTags", as_pairs=True)},
    "savingsplans": {**SAVINGS_PLANS, **build_tag_handlers(_BY_RESOURCE, "tags", as_pairs=False)},
    "dlm": {**SNAPSHOTS, **build_tag_handlers(_BY_RESOURCE, "Tags", as_pairs=False)},
    "eks": {
        **ACCESS_ENTRIES,
        **POD_IDENTITIES,
        "DeleteCluster": _forget_cluster,
        **build_tag_handlers(_BY_RESOURCE, "tags", as_pairs=False),
    },
}
ALONE = frozenset({"savingsplans", "dlm"})
"""Services of which moto has nothing: what is not kept does not exist."""


class KeptServices:
    """The kept services of one front, with their state."""

    def __init__(self) -> None:
        self._shelves = Shelves()

    def answer(self, entry: Entry) -> Answer | None:
        """Answer a request; None when it is moto's."""
        service = find_service(entry)
        if service not in HANDLERS:
            return None
        action = name_action(entry).partition(":")[2]
        handler = HANDLERS[service].get(action)
        if handler is None:
            return None
        asked = parse_asked(entry, action, ACCOUNT_ID, self._shelves)
        try:
            result = handler(asked)
        except CloudError as error:
            return render_error(entry, error.code, error.message, error.status)
        if result is None and service in ALONE:
            words = "The specified resource does not exist"
            return render_error(entry, "ResourceNotFoundException", words, 404)
        return None if result is None else render_answer(service, action, result)
