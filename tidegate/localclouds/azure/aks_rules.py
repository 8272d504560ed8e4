"""What AKS refuses in managed clusters and agent pools, said of the REST body.

Sources: counts, pool names, dependences of properties on each other as the property descriptions of
pulumi-azure-native 3.29.0 and azure-mgmt-containerservice 41.8.0 have them; Azure/AKS#5436,
Azure/AKS-Construction#465, terraform-provider-azurerm#19355. The rest is general vendor
documentation, not verified.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.localclouds.azure import places
from tidegate.localclouds.azure.tag_rules import check_tags
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

CLUSTER_NAME = re.compile(r"[A-Za-z0-9](?:[-_A-Za-z0-9]{0,61}[A-Za-z0-9])?")
LINUX_POOL_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
WINDOWS_POOL_NAME = re.compile(r"[a-z][a-z0-9]{0,5}")
DNS_PREFIX = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9]{0,52}[A-Za-z0-9])?")
MAX_NODES = 1000
TAINT = re.compile(r"[^=:]+(?:=[^=:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)")
SPOT_LABEL = {"kubernetes.azure.com/scalesetpriority": "spot"}
SPOT_TAINT = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
RESERVED_PREFIX = "kubernetes.azure.com/"
LABEL_KEY = re.compile(r"(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


def check_pool(name: Any, pool: Body, region: str = "") -> Iterator[CheckFailure]:
    """Say what AKS refuses in an agent pool.

    Args:
        name: The pool's name.
        pool: Its `properties`; places are paths in them.
        region: Where its cluster stands, when known.
    """
    yield from _check_pool_name(name, pool)
    for rule in POOL_RULES:
        yield from rule(pool)
    size = pool.get("vmSize")
    if isinstance(size, str):
        for reason in places.check_size(size, region):
            yield CheckFailure("vmSize", reason)


def _check_pool_name(name: Any, pool: Body) -> Iterator[CheckFailure]:
    windows = pool.get("osType") == "Windows"
    grammar = WINDOWS_POOL_NAME if windows else LINUX_POOL_NAME
    if isinstance(name, str) and not grammar.fullmatch(name):
        longest = 6 if windows else 12
        yield CheckFailure(
            "name",
            f"Agent pool name '{name}' is not valid: 1 to {longest} lowercase letters and digits, "
            "starting with a letter.",
        )


def is_autoscaled(pool: Body) -> bool:
    """Tell whether AKS itself scales the pool."""
    return pool.get("enableAutoScaling") is True


def _check_counts(pool: Body) -> Iterator[CheckFailure]:
    count = pool.get("count")
    if isinstance(count, int) and not 0 <= count <= MAX_NODES:
        yield CheckFailure("count", f"Agent pool count {count} is not in 0 to {MAX_NODES}.")
    lowest = 1 if pool.get("mode") == "System" else 0
    if isinstance(count, int) and 0 <= count < lowest:
        yield CheckFailure("count", f"System agent pools need at least 1 node, got {count}.")
    if is_autoscaled(pool):
        yield from _check_limits(pool, lowest)
    elif pool.get("enableAutoScaling") is not UNKNOWN:
        for word in ("minCount", "maxCount"):
            if pool.get(word) not in (None, UNKNOWN):
                yield CheckFailure(
                    word, f"{word} can be given only when enableAutoScaling is true."
                )


def _check_limits(pool: Body, lowest: int) -> Iterator[CheckFailure]:
    low, high, count = (pool.get(word) for word in ("minCount", "maxCount", "count"))
    for word, value in (("minCount", low), ("maxCount", high)):
        if value is None:
            yield CheckFailure(word, f"{word} must be given when enableAutoScaling is true.")
    if not isinstance(low, int) or not isinstance(high, int):
        return
    if low < lowest:
        kind = "System" if lowest else "User"
        yield CheckFailure(
            "minCount", f"{kind} agent pools need a minCount of at least {lowest}, got {low}."
        )
    if not 1 <= high <= MAX_NODES:
        yield CheckFailure("maxCount", f"maxCount {high} is not in 1 to {MAX_NODES}.")
    elif low > high:
        yield CheckFailure("minCount", f"minCount {low} is greater than maxCount {high}.")
    elif isinstance(count, int) and not low <= count <= high:
        yield CheckFailure(
            "count", f"Agent pool count {count} is not in minCount {low} to maxCount {high}."
        )


def _check_spot(pool: Body) -> Iterator[CheckFailure]:
    priority = pool.get("scaleSetPriority")
    if priority is UNKNOWN:
        return
    price = pool.get("spotMaxPrice")
    if isinstance(price, int | float) and price != -1 and price <= 0:
        yield CheckFailure("spotMaxPrice", f"spotMaxPrice is -1 or greater than 0, got {price}.")
    if priority != "Spot":
        for word in ("spotMaxPrice", "scaleSetEvictionPolicy"):
            if pool.get(word) not in (None, UNKNOWN):
                yield CheckFailure(word, f"{word} can be given only when scaleSetPriority is Spot.")
        return
    if pool.get("mode") == "System":
        yield CheckFailure("mode", "A spot agent pool cannot be a System pool.")
    if look(pool, "upgradeSettings.maxSurge") not in (None, UNKNOWN):
        yield CheckFailure(
            "upgradeSettings.maxSurge", "maxSurge cannot be set for a spot agent pool."
        )
    if pool.get("capacityReservationGroupID") not in (None, UNKNOWN):
        yield CheckFailure(
            "capacityReservationGroupID", "A spot agent pool cannot use a capacity reservation."
        )


def _check_taints(pool: Body) -> Iterator[CheckFailure]:
    taints = pool.get("nodeTaints")
    if not isinstance(taints, list):
        return
    keys: Counter[str] = Counter()
    for index, taint in enumerate(taints):
        if not isinstance(taint, str):
            continue
        match = TAINT.fullmatch(taint)
        if not match:
            yield CheckFailure(
                f"nodeTaints[{index}]",
                f"Taint '{taint}' is not valid: key=value:NoSchedule, :PreferNoSchedule or "
                ":NoExecute.",
            )
            continue
        keys[f"{taint.split('=')[0].split(':')[0]}:{match[1]}"] += 1
    for key, times in keys.items():
        if times > 1:
            yield CheckFailure("nodeTaints", f"Taint {key} is given {times} times.")


def _check_labels(pool: Body) -> Iterator[CheckFailure]:
    labels = pool.get("nodeLabels")
    if not isinstance(labels, Mapping):
        return
    spot = pool.get("scaleSetPriority") in ("Spot", UNKNOWN)
    for key, value in labels.items():
        own = spot and SPOT_LABEL.get(key) == value
        if key.startswith(RESERVED_PREFIX) and not own:
            yield CheckFailure(
                f"nodeLabels.{key}", f"Label '{key}' is reserved: {RESERVED_PREFIX} is AKS's own."
            )
        if not LABEL_KEY.fullmatch(key):
            yield CheckFailure(f"nodeLabels.{key}", f"Label key '{key}' is not valid.")
        if isinstance(value, str) and not LABEL_VALUE.fullmatch(value):
            yield CheckFailure(
                f"nodeLabels.{key}",
                f"Label value '{value}' is not valid: at most 63 letters, digits, '-', '_' and "
                "'.', starting and ending with a letter or digit.",
            )


def _check_gpu(pool: Body) -> Iterator[CheckFailure]:
    size = pool.get("vmSize")
    if not isinstance(size, str) or places.find_size(size) is None:
        return
    partition = pool.get("gpuInstanceProfile")
    if isinstance(partition, str) and not places.can_partition(size):
        yield CheckFailure(
            "gpuInstanceProfile", f"VM size {size} has no GPU that can be split ({partition})."
        )
    driver = look(pool, "gpuProfile.driver")
    if driver == "Install" and not places.has_gpu(size):
        yield CheckFailure("gpuProfile.driver", f"VM size {size} has no GPU to drive.")


def _check_ranges(pool: Body) -> Iterator[CheckFailure]:
    pods = pool.get("maxPods")
    if isinstance(pods, int) and not 10 <= pods <= 250:
        yield CheckFailure("maxPods", f"maxPods {pods} is not in 10 to 250.")
    disk = pool.get("osDiskSizeGB")
    if isinstance(disk, int) and disk and not 30 <= disk <= 2048:
        yield CheckFailure("osDiskSizeGB", f"osDiskSizeGB {disk} is not 0 or in 30 to 2048.")
    if pool.get("mode") == "System" and pool.get("osType") == "Windows":
        yield CheckFailure("osType", "A System agent pool needs Linux.")
    surge, down = (look(pool, f"upgradeSettings.{word}") for word in ("maxSurge", "maxUnavailable"))
    if str(surge) in {"0", "0%"} and str(down) in {"None", "0", "0%"}:
        yield CheckFailure("upgradeSettings", "maxSurge and maxUnavailable cannot both be 0.")
    yield from check_tags(pool.get("tags"))


POOL_RULES: tuple[Callable[[Body], Iterator[CheckFailure]], ...] = (
    _check_counts,
    _check_spot,
    _check_taints,
    _check_labels,
    _check_gpu,
    _check_ranges,
)


def check_cluster(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what AKS refuses in a managed cluster; places are paths in the whole body."""
    if isinstance(name, str) and not CLUSTER_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"Cluster name '{name}' is not valid: 1 to 63 letters, digits, dashes and "
            "underscores, starting and ending with a letter or digit.",
        )
    properties = body.get("properties") or {}
    prefix = properties.get("dnsPrefix")
    if prefix is None and properties.get("fqdnSubdomain") is None:
        yield CheckFailure(
            "properties.dnsPrefix", "Required parameter dnsPrefix is missing (null)."
        )
    if isinstance(prefix, str) and not DNS_PREFIX.fullmatch(prefix):
        yield CheckFailure(
            "properties.dnsPrefix",
            f"DNS prefix '{prefix}' is not valid: 1 to 54 letters, digits and dashes, starting "
            "and ending with a letter or digit.",
        )
    if body.get("identity") is None and properties.get("servicePrincipalProfile") is None:
        yield CheckFailure(
            "identity", "A managed cluster needs an identity or a servicePrincipalProfile."
        )
    yield from _check_inline_pools(properties, str(body.get("location") or ""))


def _check_inline_pools(properties: Body, region: str) -> Iterator[CheckFailure]:
    pools = properties.get("agentPoolProfiles")
    place = "properties.agentPoolProfiles"
    if pools is UNKNOWN:
        return
    if not pools:
        yield CheckFailure(place, "Required parameter agentPoolProfiles is missing (null).")
        return
    if not any(look(pool, "mode") in ("System", UNKNOWN) for pool in pools):
        yield CheckFailure(place, "A managed cluster needs at least one System agent pool.")
    for index, pool in enumerate(pools):
        if not isinstance(pool, Mapping):
            continue
        for failure in check_pool(pool.get("name"), pool, region):
            yield CheckFailure(f"{place}[{index}].{failure.property}", failure.reason)
