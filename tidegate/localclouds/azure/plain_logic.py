"""Types with little of their own: vaults, insights, budgets, autoscale settings."""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import AUTOSCALE_SETTING
from tidegate.localclouds.azure.times import parse_time
from tidegate.localclouds.bodies import Body, fill_defaults, look

TAKEN_VAULT = "Microsoft.KeyVault/checkNameAvailability"


class VaultLogic(Logic):
    """`Microsoft.KeyVault/vaults`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a name that is taken and an end of purge protection; fill the vault in."""
        taken = arm.shelf.get(TAKEN_VAULT, id.name.lower())
        # The vault may have gone with its resource group.
        if taken and taken["id"] != id.key and arm.find(parse_id(taken["id"])) is not None:
            raise refused(
                "VaultAlreadyExists",
                f"The vault name '{id.name}' is already in use. Vault names are globally unique.",
                409,
            )
        protected = "properties.enablePurgeProtection"
        if look(old, protected) and not look(body, protected):
            raise refused(
                "BadRequest",
                'The property "enablePurgeProtection" cannot be set to false. Enabling the purge '
                "protection for a vault is an irreversible action.",
            )
        body["properties"]["vaultUri"] = f"https://{id.name.lower()}.vault.azure.net/"

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Take the name in all of Azure."""
        del body, is_new
        arm.shelf.put(TAKEN_VAULT, id.name.lower(), {"id": id.key})

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Give the name back."""
        del body
        arm.shelf.delete(TAKEN_VAULT, id.name.lower())


class InsightsLogic(Logic):
    """`Microsoft.Insights/components`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Give it its keys, once."""
        del arm
        before = (old or {}).get("properties") or {}
        key = before.get("InstrumentationKey") or identify(f"{id}/key/{now()}")
        host = f"https://{body['location']}.in.applicationinsights.azure.com/"
        fill_defaults(
            body["properties"],
            {
                "AppId": before.get("AppId") or identify(f"{id}/app/{now()}"),
                "ApplicationId": id.name,
                "ConnectionString": f"InstrumentationKey={key};IngestionEndpoint={host}",
                "CreationDate": before.get("CreationDate") or now(),
                "InstrumentationKey": key,
                "Name": id.name,
                "TenantId": identify(id.subscription),
            },
        )


class BudgetLogic(Logic):
    """`Microsoft.Consumption/budgets` and Cost Management's."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse another start or time grain, and say that nothing is spent.

        terraform-provider-azurerm documents of azurerm_consumption_budget_subscription that another
        start date or time grain forces a new one: general vendor documentation, not verified.
        """
        del arm, id
        properties = body["properties"]
        for word in ("timePeriod.startDate", "timeGrain"):
            before, after = look(old, f"properties.{word}"), look(properties, word)
            if old is not None and not _is_same(before, after):
                raise refused(
                    "PropertyChangeNotAllowed",
                    f"Changing property 'properties.{word}' is not allowed: it is {before!r}, and "
                    f"{after!r} was asked for.",
                )
        fill_defaults(properties, {"currentSpend": {"amount": 0, "unit": "USD"}})


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, or the same time spelled otherwise."""
    time = parse_time(one)
    return bool(one == other or (time is not None and time == parse_time(other)))


class AutoscaleLogic(Logic):
    """`Microsoft.Insights/autoscaleSettings`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a second setting of one target."""
        del old
        properties = body["properties"]
        properties["name"] = properties.get("name") or id.name
        target = str(properties["targetResourceUri"]).lower()
        for other in arm.shelf.find(AUTOSCALE_SETTING.type):
            is_other = parse_id(other["id"]).key != id.key
            if is_other and str(other["properties"]["targetResourceUri"]).lower() == target:
                raise refused(
                    "Conflict",
                    f"The resource {properties['targetResourceUri']} has the autoscale setting "
                    f"'{other['name']}' already: it can have one.",
                    409,
                )
