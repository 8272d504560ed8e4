package tidegate.rules.placement.data_gravity_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.placement.data_gravity as rule

verdicts(pool, bucket) := found if {
	found := rule.verdicts with input as fixtures.whole([pool, bucket], {"TG-PLC-003": {"datasetKey": "dataset"}})
}

bucket(cloud, region) := fixtures.named(
	fixtures.labelled(
		fixtures.with_facts(
			object.union(fixtures.resource("gcp:storage/bucket:Bucket", {}), {"cloud": cloud}),
			{"bucket": {}, "region": fixtures.fact(region, "location")},
		),
		{"dataset": "images"},
	),
	"images",
)

pool(region) := fixtures.labelled(
	fixtures.with_facts(
		fixtures.resource("gcp:container/nodePool:NodePool", {}),
		{"machines": [], "region": fixtures.fact(region, "location")},
	),
	{"dataset": "images"},
)

near := pool("us-central1")

test_pass_beside_the_dataset if {
	every region in ["us-central1", "us"] {
		verdicts(near, bucket("gcp", region)) == {fixtures.verdict(near, "pass", {})}
	}
	verdicts(pool("europe-west4"), bucket("gcp", "eu")) == {fixtures.verdict(near, "pass", {})}
}

test_fail_in_another_region_or_cloud if {
	every place in [["gcp", "us-east1"], ["aws", "us-central1"]] {
		[cloud, region] := place
		verdicts(near, bucket(cloud, region)) == {fixtures.verdict(near, "fail", {
			"property": "location",
			"message": "it (gcp:container/nodePool:NodePool) reads the dataset images from afar",
			"expected": concat(" ", place),
			"found": "gcp us-central1",
		})}
	}
}

test_unknown_where_the_dataset_is_not_in_the_stack if {
	verdicts(near, fixtures.resource("aws:s3/bucket:Bucket", {})) == {fixtures.verdict(near, "unknown", {
		"message": "where it (gcp:container/nodePool:NodePool) or its dataset images stands is not known",
		"expected": "the region of the dataset",
		"found": "not known",
	})}
}

test_says_nothing_before_the_whole_is_seen if {
	found := rule.verdicts with input as fixtures.document([near], {"TG-PLC-003": {"datasetKey": "dataset"}})
	found == set()
}
