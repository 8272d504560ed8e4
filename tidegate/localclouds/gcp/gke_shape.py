"""Where the properties of GKE clusters and node pools stand in `container.googleapis.com` v1.

Read from pulumi-gcp 10.2.0 and google-cloud-container 2.65.0 (2026-11-30).
"""

from __future__ import annotations

from tidegate.localclouds.rest_shape import Field, Shape

_REGISTRY_HOST = Shape(
    fields={
        "cas": Field("ca"),
        "clients": Field("client"),
        "headers": Field("header"),
    }
)
_CONTAINERD = Shape(
    fields={
        "privateRegistryAccessConfig": Field(
            shape=Shape(
                fields={
                    "certificateAuthorityDomainConfigs": Field("certificateAuthorityDomainConfig")
                }
            )
        ),
        "registryHosts": Field(shape=Shape(fields={"hosts": Field(shape=_REGISTRY_HOST)})),
    }
)

NODE_CONFIG = Shape(
    fields={
        "containerdConfig": Field(shape=_CONTAINERD),
        "gpudirectStrategy": Field("gpuDirectConfig.gpuDirectStrategy"),
        "guestAccelerators": Field(
            "accelerators",
            shape=Shape(
                fields={"type": Field("acceleratorType"), "count": Field("acceleratorCount")}
            ),
        ),
        "linuxNodeConfig": Field(shape=Shape(fields={"hugepagesConfig": Field("hugepages")})),
        "loggingVariant": Field("loggingConfig.variantConfig.variant"),
        "resourceManagerTags": Field("resourceManagerTags.tags"),
        "windowsNodeConfig": Field(shape=Shape(fields={"osversion": Field("osVersion")})),
    },
    provider_only=frozenset({"effectiveTaints"}),
    rest_only=frozenset({"effectiveCgroupMode"}),
)

_POOL_NETWORK = Shape(
    fields={
        "podCidrOverprovisionConfig": Field(shape=Shape(fields={"disabled": Field("disable")})),
        "additionalPodNetworkConfigs": Field(
            shape=Shape(fields={"maxPodsPerNode": Field("maxPodsPerNode.maxPodsPerNode")})
        ),
    }
)

NODE_POOL = Shape(
    fields={
        "maintenancePolicies": Field("maintenancePolicy", single=True),
        "maxPodsPerNode": Field("maxPodsConstraint.maxPodsPerNode"),
        "networkConfig": Field(shape=_POOL_NETWORK),
        "nodeConfig": Field("config", shape=NODE_CONFIG),
        "nodeDrainConfigs": Field("nodeDrainConfig", single=True),
        "nodeLocations": Field("locations"),
    },
    provider_only=frozenset(
        {
            "cluster",
            "deletionPolicy",
            "ignoreNodeCountChanges",
            "location",
            "managedInstanceGroupUrls",
            "namePrefix",
            "nodeCount",
            "operation",
            "project",
        }
    ),
    rest_only=frozenset(
        {
            "conditions",
            "etag",
            "podIpv4CidrSize",
            "selfLink",
            "status",
            "statusMessage",
            "updateInfo",
        }
    ),
)

_AUTOPROVISIONING = Shape(
    fields={
        "enabled": Field("enableNodeAutoprovisioning"),
        "autoProvisioningDefaults": Field("autoprovisioningNodePoolDefaults"),
        "autoProvisioningLocations": Field("autoprovisioningLocations"),
    }
)


def _same_inside(parent: str, *names: str) -> dict[str, Field]:
    return {name: Field(f"{parent}.{name}") for name in names}


CLUSTER = Shape(
    fields={
        "allowNetAdmin": Field("autopilot.workloadPolicyConfig.allowNetAdmin"),
        "clusterAutoscaling": Field("autoscaling", shape=_AUTOPROVISIONING),
        "defaultMaxPodsPerNode": Field("defaultMaxPodsConstraint.maxPodsPerNode"),
        "enableAutopilot": Field("autopilot.enabled"),
        "enableIntranodeVisibility": Field("networkConfig.enableIntraNodeVisibility"),
        "enableL4IlbSubsetting": Field("networkConfig.enableL4ilbSubsetting"),
        "enableLegacyAbac": Field("legacyAbac.enabled"),
        "enableShieldedNodes": Field("shieldedNodes.enabled"),
        **_same_inside(
            "networkConfig",
            "datapathProvider",
            "defaultSnatStatus",
            "disableL4LbFirewallReconciliation",
            "dnsConfig",
            "enableCiliumClusterwideNetworkPolicy",
            "enableFqdnNetworkPolicy",
            "enableMultiNetworking",
            "gatewayApiConfig",
            "inTransitEncryptionConfig",
            "networkPerformanceConfig",
            "privateIpv6GoogleAccess",
            "serviceExternalIpsConfig",
        ),
        "loggingConfig": Field(
            shape=Shape(fields={"enableComponents": Field("componentConfig.enableComponents")})
        ),
        "minMasterVersion": Field("initialClusterVersion"),
        "monitoringConfig": Field(
            shape=Shape(
                fields={
                    "enableComponents": Field("componentConfig.enableComponents"),
                    "managedPrometheus": Field("managedPrometheusConfig"),
                }
            )
        ),
        "networkingMode": Field(
            "ipAllocationPolicy.useIpAliases",
            to_rest=lambda mode: mode == "VPC_NATIVE",
            to_pulumi=lambda aliases: "VPC_NATIVE" if aliases else "ROUTES",
        ),
        "ipAllocationPolicy": Field(shape=Shape(rest_only=frozenset({"useIpAliases"}))),
        "nodeConfig": Field(shape=NODE_CONFIG),
        "nodeLocations": Field("locations"),
        "nodePools": Field(shape=NODE_POOL),
        "resourceUsageExportConfig": Field(
            shape=Shape(
                fields={
                    "enableResourceConsumptionMetering": Field("consumptionMeteringConfig.enabled")
                }
            )
        ),
    },
    provider_only=frozenset(
        {
            "deletionPolicy",
            "deletionProtection",
            "effectiveLabels",
            "ignoreNodeCountChanges",
            "nodeVersion",
            "operation",
            "project",
            "pulumiLabels",
            "removeDefaultNodePool",
            "skipNodePoolRefresh",
        }
    ),
    rest_only=frozenset(
        {
            "conditions",
            "createTime",
            "currentMasterVersion",
            "currentNodeCount",
            "currentNodeVersion",
            "etag",
            "expireTime",
            "id",
            "instanceGroupUrls",
            "nodeIpv4CidrSize",
            "status",
            "statusMessage",
            "zone",
        }
    ),
)
