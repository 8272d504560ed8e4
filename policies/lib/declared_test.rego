package tidegate.lib.declared_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

label(resource, key) := found if {
	found := declared.label(resource, key) with input as fixtures.document([], {})
}

test_a_label_is_found_in_any_spelling_of_its_key if {
	label(fixtures.labelled(bucket, {"Service-Level": "gold"}), "service-level") == "gold"
	label(object.union(bucket, {"labelSites": [fixtures.site_of({"CostCentre": "cc-1"})]}), "cost-center") == "cc-1"
}

test_labels_of_kubernetes_objects_count_with_and_without_a_prefix if {
	every key in ["workload-class", "tidegate.dev/workload-class"] {
		object_ := object.union(
			fixtures.resource("kubernetes:apps/v1:Deployment", {"metadata": {"labels": {key: "inference", "n": 1}}}),
			{"labelSites": []},
		)
		label(object_, "workload-class") == "inference"
	}
}

test_a_list_in_the_place_of_labels_has_none if {
	object_ := object.union(
		fixtures.resource("kubernetes:apps/v1:Deployment", {"metadata": {"labels": ["inference"]}}),
		{"labelSites": []},
	)
	not label(object_, "workload-class")
}

test_the_environment_is_the_labels_before_the_stacks if {
	environment := declared.environment(fixtures.labelled(bucket, {"environment": "Dev"})) with input as fixtures.document([], {})
	environment == "dev"
	other := declared.environment(object.union(bucket, {"labelSites": []})) with input as fixtures.document([], {})
	other == "prod"
}

test_a_limit_is_the_environments_else_the_default if {
	limit := declared.limit({"prod": 0, "default": 2}, bucket) with input as fixtures.document([], {})
	limit == 0
	default_limit := declared.limit({"dev": 1, "default": 2}, bucket) with input as fixtures.document([], {})
	default_limit == 2
}

test_the_stack_is_its_resource_where_it_is_shown if {
	shown := fixtures.resource("pulumi:pulumi:Stack", {})
	found := declared.stack with input as fixtures.document([bucket, shown], {})
	found.urn == shown.urn
	absent := declared.stack with input as fixtures.document([bucket], {})
	absent.urn == ""
}

manifest(entries) := object.union(fixtures.document([], {}), {"manifest": entries})

test_entries_of_the_manifest_are_found_by_label_and_name if {
	pooled := fixtures.labelled(bucket, {"capacity-pool": "train"})
	pool := declared.pool(pooled) with input as manifest({"pools": [{"id": "serve"}, {"id": "train", "maxNodes": 4}]})
	pool.maxNodes == 4
	every id in ["it", "train"] {
		endpoint := declared.endpoint(pooled) with input as manifest({"endpoints": [{"id": "other"}, {"id": id}]})
		endpoint.id == id
	}
	commitment := declared.commitment(bucket) with input as manifest({"commitments": [{"id": "it"}]})
	commitment.id == "it"
}

test_a_pattern_names_the_whole_of_a_name_or_urn if {
	every pattern in ["it", "i?", "urn:pulumi:prod::*"] {
		declared.is_named(pattern, bucket)
	}
	every pattern in ["i", "t", ""] {
		not declared.is_named(pattern, bucket)
	}
}
