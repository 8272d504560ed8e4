"""A change that buys a commitment anew.

The type of machine of a reservation cannot be changed, so the cloud would replace it, and what is
left of the old one is lost. The engine stops that by itself only where it is protected.

`preview.json` is what `pulumi preview --json --show-sames` said of it:
`tidegate check --preview examples/bad/change/preview.json`.
"""

# ruff: noqa: INP001 - Pulumi runs the folder as a program

import pulumi
import pulumi_aws as aws

aws.ec2.CapacityReservation(
    "training",
    availability_zone="us-east-1a",
    instance_count=2,
    instance_platform="Linux/UNIX",
    instance_type=pulumi.Config().require("instanceType"),
    end_date_type="limited",
    end_date="2027-06-30T00:00:00Z",
    tags={
        "environment": "prod",
        "owner": "ml-platform",
        "business-unit": "research",
        "platform-project": "vision",
        "workload-class": "training",
        "cost-center": "cc-100",
    },
)
