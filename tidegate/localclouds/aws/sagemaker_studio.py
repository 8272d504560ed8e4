"""SageMaker Studio: domains, user profiles, spaces."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.modelled_type import Actions, Names
from tidegate.localclouds.aws.sagemaker import SageMakerType
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.store import Record

# The bridge has lists where the API has one.
FILES = {
    "efsFileSystemConfigs": "EFSFileSystemConfig",
    "emrServerlessSettings": "EmrServerlessSettings",
}


class Domain(SageMakerType):
    """`aws.sagemaker.Domain`. Its id is drawn by the service."""

    actions = Actions("CreateDomain", "DescribeDomain", "UpdateDomain", "DeleteDomain")
    names = Names(
        "DomainId",
        property="",
        arn="DomainArn",
        computed={
            "url": "Url",
            "homeEfsFileSystemId": "HomeEfsFileSystemId",
            "securityGroupIdForDomainBoundary": "SecurityGroupIdForDomainBoundary",
            "singleSignOnManagedApplicationInstanceId": "SingleSignOnManagedApplicationInstanceId",
            "singleSignOnApplicationArn": "SingleSignOnApplicationArn",
        },
    )

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Read the id from the ARN, which is all that old answers have."""
        return str(answer["DomainArn"]).rsplit("/", 1)[-1]

    def change(self, record: Record, old: Values, new: Values, call: Call) -> None:
        """Give domain settings under the name that an update has for them."""
        given = {**new, "domainSettingsForUpdate": new.get("domainSettings")}
        super().change(record, old, given, call)


class OfDomain(SageMakerType):
    """What lives in a domain: its id is its ARN, its key the domain and its own name."""

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Return the ARN."""
        return str(answer[self.names.arn])

    def key_of(self, id: str) -> dict[str, Any]:
        """Return domain and name from an ARN's end."""
        domain, name = id.split("/")[-2:]
        return {"DomainId": domain, self.names.key: name}


class UserProfile(OfDomain):
    """`aws.sagemaker.UserProfile`."""

    actions = Actions(
        "CreateUserProfile", "DescribeUserProfile", "UpdateUserProfile", "DeleteUserProfile"
    )
    names = Names(
        "UserProfileName",
        property="userProfileName",
        arn="UserProfileArn",
        asked=FILES,
        shown=FILES,
        computed={"homeEfsFileSystemUid": "HomeEfsFileSystemUid"},
    )


class Space(OfDomain):
    """`aws.sagemaker.Space`."""

    actions = Actions("CreateSpace", "DescribeSpace", "UpdateSpace", "DeleteSpace")
    names = Names(
        "SpaceName",
        property="spaceName",
        arn="SpaceArn",
        computed={"homeEfsFileSystemUid": "HomeEfsFileSystemUid", "url": "Url"},
    )
