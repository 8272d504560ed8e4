package tidegate.lib.templates_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.templates

reserving := fixtures.resource("aws:ec2/launchTemplate:LaunchTemplate", {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}})

node_group(properties) := fixtures.resource("aws:eks/nodeGroup:NodeGroup", properties)

test_a_template_that_reserves_capacity_may_be_the_pools_until_all_is_seen if {
	resource := node_group({"launchTemplate": {"id": fixtures.unknown}})
	document := object.union(fixtures.document([resource], {}), {"context": [reserving]})
	templates.may_be_reserved(resource) with input as document
	not templates.may_be_reserved(node_group({})) with input as document
	not templates.may_be_reserved(resource) with input as object.union(document, {"context": []})
	not templates.may_be_reserved(resource) with input as object.union(document, {"complete": true})
}
