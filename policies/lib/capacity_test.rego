package tidegate.lib.capacity_test

import data.tidegate.lib.capacity
import data.tidegate.lib.fixtures

pool := fixtures.labelled(fixtures.resource("azure-native:containerservice:AgentPool", {}), {"capacity-pool": "train"})

machines(most) := {"maximum": most, "price": {"amount": "1.5", "currency": "USD"}}

hourly(most, manifest) := found if {
	document := object.union(fixtures.document([], {}), {"manifest": manifest})
	found := capacity.hourly(pool, machines(most)) with input as document
}

test_the_manifest_says_how_far_a_pool_grows_that_its_cloud_does_not_scale if {
	manifest := {"pools": [{"id": "train", "maxNodes": 4}]}
	hourly(fixtures.absent_fact("maxCount"), manifest) == 6
	hourly(fixtures.fact(2, "maxCount"), manifest) == 3
	not hourly(fixtures.absent_fact("maxCount"), null)
}

test_prices_of_other_currencies_are_not_compared if {
	foreign := object.union(machines(fixtures.fact(2, "maxCount")), {"price": {"amount": "1", "currency": "EUR"}})
	not capacity.hourly(pool, foreign)
}
