"""What the controller may do in a cluster: justified, narrow, and nothing dangerous."""

from __future__ import annotations

from tidegate.catalog.cluster_rights import RightScope, build_rules, load_cluster_rights

RIGHTS = load_cluster_rights()


def test_every_right_says_why_and_where_it_is_described():
    assert len(RIGHTS) == len({(each.group, each.resource, each.verb) for each in RIGHTS})
    for each in RIGHTS:
        assert each.why
        assert each.source.startswith("https://")


def test_what_changes_something_in_the_whole_cluster_says_how_wide_it_is():
    changing = [each for each in RIGHTS if each.verb not in ("get", "list", "watch")]

    assert [each for each in changing if each.scope is RightScope.CLUSTER and not each.limit] == []


def test_no_right_reads_secrets_gives_rights_or_stands_for_others():
    words = {word for each in RIGHTS for word in (each.group, each.resource, each.verb)}

    forbidden = {"*", "secrets", "rbac.authorization.k8s.io", "escalate", "bind", "impersonate"}
    forbidden |= {"pods/exec", "pods/attach", "nodes/proxy", "serviceaccounts/token", "delete"}
    assert words & forbidden == set()


def test_a_role_has_one_rule_for_each_resource():
    rules = build_rules(RightScope.CLUSTER)

    assert {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]} in rules
    granted = {(r["apiGroups"][0], r["resources"][0], verb) for r in rules for verb in r["verbs"]}
    listed = [each for each in RIGHTS if each.scope is RightScope.CLUSTER]
    assert granted == {(each.group, each.resource, each.verb) for each in listed}
    assert len(rules) == len({(each.group, each.resource) for each in listed})
