package tidegate.lib.accelerators_test

import data.tidegate.lib.accelerators
import data.tidegate.lib.fixtures

test_families_of_each_cloud if {
	accelerated := {
		"aws": ["p5.48xlarge", "g6e.xlarge", "gr6.4xlarge", "gr6f.4xlarge", "trn1.2xlarge", "inf2.xlarge", "dl1.24xlarge", "f1.2xlarge"],
		"gcp": ["a2-highgpu-1g", "a3-megagpu-8g", "a4x-highgpu-4g", "g2-standard-4", "ct5p-hightpu-4t"],
		"azure": ["Standard_NC24ads_A100_v4", "Standard_ND96isr_H100_v5", "standard_nv6ads_a10_v5"],
	}
	every cloud, types in accelerated {
		every type in types {
			accelerators.of_types(cloud, [type]) == "yes"
		}
	}
}

test_other_families_are_none if {
	plain := {
		"aws": ["m7i.large", "c7gn.large", "t3.medium", "r6id.large"],
		"gcp": ["n2-standard-4", "e2-medium", "c3-standard-4", "g1-small"],
		"azure": ["Standard_D4s_v5", "Standard_B2s", "Standard_E8ads_v5"],
	}
	every cloud, types in plain {
		accelerators.of_types(cloud, types) == "no"
	}
}

test_one_accelerated_type_decides if {
	accelerators.of_types("aws", ["m7i.large", fixtures.unknown, "p5.48xlarge"]) == "yes"
}

test_an_unknown_type_and_no_type_are_doubts if {
	accelerators.of_types("aws", ["m7i.large", fixtures.unknown]) == "unknown"
	accelerators.of_types("aws", []) == "unknown"
	accelerators.of_types("azure", [null]) == "unknown"
}

test_keys_that_name_a_device if {
	accelerators.of_keys({"nvidia.com/gpu"}) == "yes"
	accelerators.of_keys({"k8s.io/cluster-autoscaler/node-template/resources/aws.amazon.com/neuron"}) == "yes"
	accelerators.of_keys({"nvidia.com/gpu=present:NoSchedule", 1}) == "yes"
	accelerators.of_keys({"team", 1}) == "no"
}

test_any_of_prefers_certainty if {
	accelerators.any_of(["no", "unknown", "yes"]) == "yes"
	accelerators.any_of(["no", "unknown"]) == "unknown"
	accelerators.any_of(["no", "no"]) == "no"
}

test_keys_and_members_of_hidden_or_absent_values_are_none if {
	every properties in [{}, {"a": fixtures.unknown}, {"a": null}] {
		accelerators.keys_at(properties, ["a"]) == set()
		accelerators.members_at(properties, ["a"], "key") == set()
	}
	accelerators.keys_at({"a": {"x": 1}}, ["a"]) == {"x"}
	accelerators.members_at({"a": [{"key": "x"}, {}]}, ["a"], "key") == {"x"}
}
