"""One resource of each of Azure's types that data describes, and what they stand on."""

from __future__ import annotations

from typing import Any

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"subscriptionId": SUBSCRIPTION, "location": "westeurope"}
SCOPE = f"/subscriptions/{SUBSCRIPTION}"
PROVIDERS = f"{SCOPE}/resourceGroups/ml/providers"
GPU_SIZE = "Standard_NC24ads_A100_v4"
TAGS = {"cost-center": "cc-42"}

GROUP = "azure-native:resources:ResourceGroup"
ACCOUNT = "azure-native:storage:StorageAccount"
QUEUE = "azure-native:storage:Queue"
SYSTEM_TOPIC = "azure-native:eventgrid:SystemTopic"
EVENT_SUBSCRIPTION = "azure-native:eventgrid:SystemTopicEventSubscription"
NETWORK = "azure-native:network:VirtualNetwork"
SUBNET = "azure-native:network:Subnet"
LOGS = "azure-native:operationalinsights:Workspace"
INSIGHTS = "azure-native:applicationinsights:Component"
VAULT = "azure-native:keyvault:Vault"
WORKSPACE = "azure-native:machinelearningservices:Workspace"
COMPUTE = "azure-native:machinelearningservices:Compute"
ENDPOINT = "azure-native:machinelearningservices:OnlineEndpoint"
DEPLOYMENT = "azure-native:machinelearningservices:OnlineDeployment"
AUTOSCALE = "azure-native:monitor:AutoscaleSetting"
ACTION_GROUP = "azure-native:monitor:ActionGroup"
BUDGET = "azure-native:consumption:Budget"
SCHEDULED_ACTION = "azure-native:costmanagement:ScheduledActionByScope"
ROLE_DEFINITION = "azure-native:authorization:RoleDefinition"
ROLE_ASSIGNMENT = "azure-native:authorization:RoleAssignment"
IDENTITY = "azure-native:managedidentity:UserAssignedIdentity"
FEDERATION = "azure-native:managedidentity:FederatedIdentityCredential"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
FLEET = "azure-native:azurefleet:Fleet"

IN_GROUP = {"resourceGroupName": "ml"}
IN_WORKSPACE = {**IN_GROUP, "workspaceName": "train"}
ACCOUNT_ID = f"{PROVIDERS}/Microsoft.Storage/storageAccounts/tgevents"
SUBNET_ID = f"{PROVIDERS}/Microsoft.Network/virtualNetworks/net/subnets/nodes"
SCALE_SET_ID = f"{PROVIDERS}/Microsoft.Compute/virtualMachineScaleSets/spot"
SYSTEM_IDENTITY = {"identity": {"type": "SystemAssigned"}}
ANNOTATED = "Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated"
ANOMALY_VIEW = "Microsoft.CostManagement/views/ms:DailyAnomalyByResourceGroup"
ROLE_GUID = "6f1b2c3d-0000-4000-8000-000000000001"
READ_VMS = "Microsoft.Compute/virtualMachineScaleSets/read"


def nic(**inside: Any) -> dict[str, Any]:
    """Return a network interface; a fleet has its properties one level further in."""
    return {"name": "nic", **inside}


ADDRESS = {"subnet": {"id": SUBNET_ID}}

INPUTS: dict[str, dict[str, Any]] = {
    ACCOUNT: {**IN_GROUP, "accountName": "tgevents", "kind": "StorageV2",
              "sku": {"name": "Standard_LRS"}},
    QUEUE: {**IN_GROUP, "accountName": "tgevents", "queueName": "interruptions",
            "metadata": {"pool": "spot"}},
    SYSTEM_TOPIC: {**IN_GROUP, "systemTopicName": "health", "location": "global", "source": SCOPE,
                   "topicType": "microsoft.resourcenotifications.healthresources", "tags": TAGS},
    EVENT_SUBSCRIPTION: {
        **IN_GROUP, "systemTopicName": "health", "eventSubscriptionName": "spot",
        "destination": {"endpointType": "StorageQueue", "resourceId": ACCOUNT_ID,
                        "queueName": "interruptions"},
        "filter": {"includedEventTypes": [ANNOTATED], "advancedFilters": [{
            "operatorType": "StringIn", "values": ["VirtualMachinePreempted"],
            "key": "data.resourceInfo.properties.annotationName"}]},
    },
    FEDERATION: {**IN_GROUP, "resourceName": "controller", "issuer": "https://oidc.example/ml",
                 "federatedIdentityCredentialResourceName": "controller",
                 "subject": "system:serviceaccount:tidegate:controller",
                 "audiences": ["api://AzureADTokenExchange"]},
    NETWORK: {**IN_GROUP, "virtualNetworkName": "net", "tags": TAGS,
              "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}},
    SUBNET: {**IN_GROUP, "virtualNetworkName": "net", "subnetName": "nodes",
             "addressPrefix": "10.0.0.0/24"},
    LOGS: {**IN_GROUP, "workspaceName": "runs", "retentionInDays": 30},
    INSIGHTS: {**IN_GROUP, "resourceName": "train", "kind": "web", "applicationType": "web",
               "workspaceResourceId": f"{PROVIDERS}/Microsoft.OperationalInsights/workspaces/runs",
               "retentionInDays": 30, "samplingPercentage": 50, "tags": TAGS},
    VAULT: {**IN_GROUP, "vaultName": "tg-train", "tags": TAGS,
            "properties": {"tenantId": SUBSCRIPTION, "enableRbacAuthorization": True,
                           "sku": {"family": "A", "name": "standard"}}},
    WORKSPACE: {**IN_WORKSPACE, **SYSTEM_IDENTITY, "tags": TAGS, "storageAccount": ACCOUNT_ID,
                "keyVault": f"{PROVIDERS}/Microsoft.KeyVault/vaults/tg-train",
                "applicationInsights": f"{PROVIDERS}/Microsoft.Insights/components/train"},
    COMPUTE: {**IN_WORKSPACE, "computeName": "a100", "tags": TAGS,
              "properties": {"computeType": "AmlCompute", "properties": {
                  "vmSize": GPU_SIZE, "vmPriority": "LowPriority",
                  "scaleSettings": {"minNodeCount": 0, "maxNodeCount": 4,
                                    "nodeIdleTimeBeforeScaleDown": "PT120S"}}}},
    ENDPOINT: {**IN_WORKSPACE, **SYSTEM_IDENTITY, "endpointName": "chat", "tags": TAGS,
               "properties": {"authMode": "AADToken"}},
    DEPLOYMENT: {**IN_WORKSPACE, "endpointName": "chat", "deploymentName": "blue", "tags": TAGS,
                 "sku": {"name": "Default", "capacity": 2},
                 "properties": {"endpointComputeType": "Managed", "instanceType": GPU_SIZE,
                                "model": "azureml:chat:1",
                                "scaleSettings": {"scaleType": "Default"}}},
    AUTOSCALE: {
        **IN_GROUP, "autoscaleSettingName": "spot", "name": "spot", "tags": TAGS,
        "targetResourceUri": SCALE_SET_ID,
        "profiles": [{
            "name": "usual", "capacity": {"minimum": "0", "maximum": "4", "default": "1"},
            "rules": [{
                "metricTrigger": {
                    "metricName": "Percentage CPU", "metricResourceUri": SCALE_SET_ID,
                    "timeGrain": "PT1M", "statistic": "Average", "timeWindow": "PT10M",
                    "timeAggregation": "Average", "operator": "GreaterThan", "threshold": 70},
                "scaleAction": {"direction": "Increase", "type": "ChangeCount", "value": "1",
                                "cooldown": "PT5M"}}]}],
    },
    ACTION_GROUP: {**IN_GROUP, "actionGroupName": "owners", "groupShortName": "owners",
                   "location": "Global", "tags": TAGS,
                   "emailReceivers": [{"name": "ml", "emailAddress": "ml@example.com"}]},
    BUDGET: {"scope": SCOPE, "budgetName": "training", "amount": 1000, "category": "Cost",
             "timeGrain": "Monthly",
             "timePeriod": {"startDate": "2026-01-01T00:00:00Z", "endDate": "2030-01-01T00:00:00Z"},
             "filter": {"tags": {"name": "cost-center", "operator": "In", "values": ["cc-42"]}},
             "notifications": {"actual-80": {
                 "enabled": True, "operator": "GreaterThan", "threshold": 80,
                 "thresholdType": "Actual", "contactEmails": ["ml@example.com"]}}},
    SCHEDULED_ACTION: {
        "scope": SCOPE, "name": "anomalies", "displayName": "Anomalies", "kind": "InsightAlert",
        "status": "Enabled",
        "viewId": f"{SCOPE}/providers/{ANOMALY_VIEW}",
        "notification": {"subject": "Cost anomaly", "to": ["ml@example.com"]},
        "schedule": {"frequency": "Daily", "startDate": "2026-01-01T00:00:00Z",
                     "endDate": "2030-01-01T00:00:00Z"}},
    ROLE_DEFINITION: {
        "scope": SCOPE, "roleDefinitionId": ROLE_GUID, "roleName": "tidegate controller",
        "roleType": "CustomRole", "description": "Scales pools",
        "assignableScopes": [f"{SCOPE}/resourceGroups/ml"],
        "permissions": [{"actions": [READ_VMS], "notActions": []}]},
    IDENTITY: {**IN_GROUP, "resourceName": "controller"},
    SCALE_SET: {
        **IN_GROUP, "vmScaleSetName": "spot", "orchestrationMode": "Flexible", "zones": ["1", "2"],
        "sku": {"name": GPU_SIZE, "capacity": 0}, "tags": TAGS,
        "priorityMixPolicy": {"baseRegularPriorityCount": 1,
                              "regularPriorityPercentageAboveBase": 50},
        "virtualMachineProfile": {
            "priority": "Spot", "evictionPolicy": "Delete", "billingProfile": {"maxPrice": -1},
            "networkProfile": {"networkInterfaceConfigurations": [
                nic(primary=True, ipConfigurations=[{"name": "ip", **ADDRESS}])]}}},
    FLEET: {
        **IN_GROUP, "fleetName": "train", "zones": ["1"], "tags": TAGS,
        "vmSizesProfile": [{"name": GPU_SIZE}, {"name": "Standard_NC48ads_A100_v4"}],
        "spotPriorityProfile": {"capacity": 3, "minCapacity": 1, "evictionPolicy": "Delete",
                                "allocationStrategy": "PriceCapacityOptimized", "maintain": False},
        "regularPriorityProfile": {"capacity": 1, "allocationStrategy": "LowestPrice"},
        "computeProfile": {"baseVirtualMachineProfile": {
            "networkProfile": {"networkInterfaceConfigurations": [
                nic(properties={"primary": True, "ipConfigurations": [
                    {"name": "ip", "properties": ADDRESS}]})]}}}},
}  # fmt: skip

STANDS_ON: dict[str, tuple[str, ...]] = {
    QUEUE: (ACCOUNT,),
    EVENT_SUBSCRIPTION: (ACCOUNT, QUEUE, SYSTEM_TOPIC),
    FEDERATION: (IDENTITY,),
    SUBNET: (NETWORK,),
    INSIGHTS: (LOGS,),
    WORKSPACE: (ACCOUNT, LOGS, INSIGHTS, VAULT),
    COMPUTE: (ACCOUNT, LOGS, INSIGHTS, VAULT, WORKSPACE),
    ENDPOINT: (ACCOUNT, LOGS, INSIGHTS, VAULT, WORKSPACE),
    DEPLOYMENT: (ACCOUNT, LOGS, INSIGHTS, VAULT, WORKSPACE, ENDPOINT),
    SCALE_SET: (NETWORK, SUBNET),
    FLEET: (NETWORK, SUBNET),
    AUTOSCALE: (NETWORK, SUBNET, SCALE_SET),
}
"""Type → what must be there before it, in order; the group is always."""


def change(token: str, **changes: Any) -> dict[str, Any]:
    """Return a type's inputs with some of them changed, and those given as None left out."""
    changed = {**INPUTS[token], **changes}
    return {name: value for name, value in changed.items() if value is not None}


def inside(token: str, name: str, **changes: Any) -> dict[str, Any]:
    """Return a type's inputs with changes inside one of them; None leaves out."""
    within = {**INPUTS[token][name], **changes}
    return {
        **INPUTS[token],
        name: {key: value for key, value in within.items() if value is not None},
    }


def build_on(engine: Any, token: str) -> None:
    """Make what a type stands on."""
    for other in STANDS_ON.get(token, ()):
        engine.up(other, INPUTS[other], other)
