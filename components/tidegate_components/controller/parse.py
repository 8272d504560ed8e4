"""From the controller's arguments to a specification, every fault at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tidegate.catalog.load import load_catalog
from tidegate.catalog.overlay import parse_overlay
from tidegate.manifest.model import Manifest, Pool
from tidegate.manifest.read import read_manifest
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate.vocabulary.problems import InvalidInput, suggest
from tidegate_components.arguments import Arguments
from tidegate_components.controller import args as shapes
from tidegate_components.controller.identities import read_identities
from tidegate_components.controller.sources import find_port, find_ports, read_sources
from tidegate_components.controller.spec import (
    ControllerSpec,
    Leader,
    Monitoring,
    MonitorKind,
    SecretKey,
    Storage,
)

NAME = r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?"
NAME_RULE = "1 to 63 lowercase letters, digits and '-', a letter first, no '-' last"
SUBDOMAIN = r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?"
QUANTITY = r"[0-9]+(\.[0-9]+)?(m|[kMGT]i?)?"
MAX_PORT = 65535
MAX_INTERVAL = 3600


def parse_controller(name: str, raw: Mapping[str, Any]) -> ControllerSpec:
    """Return the controller that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"controller {name}", raw, shapes.ControllerArgs)
    _check_name(read, "", name)
    cloud = read.choice("cloud", Cloud)
    cluster, region = read.text("cluster"), read.text("region", "")
    manifest = _read_capacity(read)
    pools = manifest.pools if manifest else []
    is_known = _check_cluster(read, cloud, cluster, pools)
    secrets = _read_secrets(read)
    kubeconfig = _read_secret(read, "kubeconfig")
    sources = read_sources(read, cloud, cluster, region, secrets)
    if is_known and not kubeconfig:
        _require_contexts(read, cloud, cluster, pools)
    otlp = _read_url(read, "otlp")
    database = _read_secret(read, "database")
    leader = read.choice("leader", Leader, Leader.DATABASE)
    replicas = _read_replicas(read, database, leader)
    identities, is_federated = read_identities(read, cloud, pools)
    known = [find_port(otlp)] if otlp else []
    spec = ControllerSpec(
        id=name,
        cloud=cloud,
        cluster=cluster,
        namespace=_read_name(read, "namespace", "tidegate"),
        makes_namespace=not read.flag("existing_namespace", False),
        service_account=_read_name(read, "service_account", name),
        labels=read.cost_labels(),
        capacity=read.plain("capacity") if manifest else {},
        sources=sources,
        prices=_read_prices(read),
        otlp=otlp,
        secrets=secrets,
        token=_require_secret(read, "token"),
        replicas=replicas,
        leader=leader,
        database=database,
        storage=_read_storage(read, has_volume=database is None and replicas == 1),
        kubeconfig=kubeconfig,
        interval_seconds=_read_bounded(read, "interval_seconds", 15, MAX_INTERVAL),
        pool=_read_pool(read, cloud, cluster, pools),
        cpu=_read_quantity(read, "cpu", "250m"),
        memory=_read_quantity(read, "memory", "512Mi"),
        monitoring=_read_monitoring(read),
        identities=identities,
        is_federated=is_federated,
        egress_ports=_read_ports(read, [*find_ports(sources), *known], database),
    )
    read.finish()
    return spec


def _read_secret(read: Arguments, key: str) -> SecretKey | None:
    found = read.nested(key, shapes.SecretKeyArgs)
    return _parse_secret(found) if found else None


def _require_secret(read: Arguments, key: str) -> SecretKey:
    found = _read_secret(read, key)
    if found is None:
        read.refuse(key, None, "is required and is missing", "name and key of a Secret")
    return found or SecretKey("", "")


def _parse_secret(read: Arguments) -> SecretKey:
    name = read.text("name")
    if name and not re.fullmatch(SUBDOMAIN, name):
        expected = "lowercase letters, digits, '-' and '.', not at either end"
        read.refuse("name", name, "is no name of a Secret", expected)
    return SecretKey(name, read.text("key"))


def _read_capacity(read: Arguments) -> Manifest | None:
    document = read.plain("capacity")
    if document is None:
        if not read.problems:
            read.refuse("capacity", None, "is required and is missing", "the stack's manifest")
        return None
    try:
        return read_manifest(read.where, document)
    except InvalidInput as error:
        read.adopt(error, "capacity")
        return None


def _check_name(read: Arguments, key: str, name: str) -> None:
    if name and not re.fullmatch(NAME, name):
        read.refuse(key, name, "is no name that Kubernetes takes for a Service", NAME_RULE)


def _read_name(read: Arguments, key: str, default: str) -> str:
    name = read.text(key, default)
    if name != default:
        _check_name(read, key, name)
    return name


def _check_cluster(read: Arguments, cloud: Cloud, cluster: str, pools: list[Pool]) -> bool:
    """Return whether pools are in the cluster that the controller runs in; refuse another."""
    known = {pool.cluster for pool in pools if pool.cloud is cloud and pool.cluster}
    if not cluster or not pools or cluster in known:
        return cluster in known
    named = ", ".join(sorted(known))
    expected = (
        f"one of {named}" if known else f"a manifest with pools in a cluster of {cloud.value}"
    )
    reason = f"is the cluster of no pool on {cloud.value}{suggest(cluster, known)}"
    read.refuse("cluster", cluster, reason, expected)
    return False


def _require_contexts(read: Arguments, cloud: Cloud, cluster: str, pools: list[Pool]) -> None:
    """Refuse clusters whose nodes it resizes and whose work it could not see."""
    others = {
        f"{pool.cloud.value}/{pool.cluster}"
        for pool in pools
        if pool.scaler is Scaler.TIDEGATE
        and pool.cluster
        and (pool.cloud, pool.cluster) != (cloud, cluster)
    }
    if others:
        named = ", ".join(sorted(others))
        reason = f"is missing: it resizes pools of {named}, where it does not run"
        read.refuse("kubeconfig", None, reason, "a Secret with contexts of these clusters")


def _read_secrets(read: Arguments) -> dict[str, SecretKey]:
    found = read.nested_map("secrets", shapes.SecretKeyArgs)
    for variable in found:
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", variable):
            expected = "capital letters, digits and '_', a letter first"
            read.refuse(f"secrets.{variable}", None, "is no environment variable", expected)
    return {variable: _parse_secret(each) for variable, each in found.items()}


def _read_replicas(read: Arguments, database: SecretKey | None, leader: Leader) -> int:
    replicas = read.whole("replicas", 1, minimum=1)
    if replicas > 1 and database is None and leader is Leader.DATABASE:
        reason = "share no database that says which of them leads"
        read.refuse("replicas", replicas, reason, "1, `database`, or `leader`: lease")
    return replicas


def _read_storage(read: Arguments, *, has_volume: bool) -> Storage:
    found = read.nested("storage", shapes.StorageArgs)
    if found is None:
        return Storage()
    if not has_volume:
        reason = "is of no use: the state of one pod with SQLite alone is on a volume"
        read.refuse("storage", None, reason, "leave it out")
    return Storage(found.whole("size_gib", 1, minimum=1), found.text("storage_class", ""))


def _read_bounded(read: Arguments, key: str, default: int, limit: int) -> int:
    value = read.whole(key, default, minimum=1)
    if value > limit:
        read.refuse(key, value, "is out of range", f"at most {limit}")
    return value


def _read_quantity(read: Arguments, key: str, default: str) -> str:
    value = read.text(key, default)
    if not re.fullmatch(QUANTITY, value):
        read.refuse(key, value, "is no quantity of Kubernetes", f"such as {default}")
    return value


def _read_prices(read: Arguments) -> str:
    text = read.text("prices", "")
    if text:
        try:
            parse_overlay(text, read.where, load_catalog())
        except InvalidInput as error:
            read.adopt(error, "prices")
    return text


def _read_url(read: Arguments, key: str) -> str:
    url = read.text(key, "")
    if url and not re.fullmatch(r"https?://[-.\w]+(:\d{1,5})?(/\S*)?", url):
        read.refuse(key, url, "is no URL", "http://HOST:PORT or https://HOST")
    return url


def _read_pool(read: Arguments, cloud: Cloud, cluster: str, pools: list[Pool]) -> Pool | None:
    name = read.text("pool", "")
    known = {pool.id: pool for pool in pools if (pool.cloud, pool.cluster) == (cloud, cluster)}
    if not name:
        return None
    found = known.get(name)
    if found is None:
        reason = f"is no pool of its cluster{suggest(name, known)}"
        read.refuse("pool", name, reason, f"one of {', '.join(sorted(known)) or 'none'}")
    elif found.scaler is Scaler.TIDEGATE:
        reason = "is resized by the controller itself, which would end the node it runs on"
        read.refuse("pool", name, reason, "a pool with another scaler")
    return found


def _read_monitoring(read: Arguments) -> Monitoring | None:
    found = read.nested("monitoring", shapes.MonitoringArgs)
    if found is None:
        return None
    kind = found.choice("kind", MonitorKind) if found.has("kind") else None
    return Monitoring(found.text("namespace"), kind, found.text_map("labels"))


def _read_ports(
    read: Arguments, known: Iterable[int], database: SecretKey | None
) -> tuple[int, ...]:
    """Return 443 and 6443 (clouds, and API servers behind their Services), and what is stated."""
    given = read.plain("egress_ports") or ()
    ports = {443, 6443, *known}
    if database is not None:
        ports.add(_read_bounded(read, "database_port", 5432, MAX_PORT))
    elif read.has("database_port"):
        read.refuse("database_port", None, "is of no use without `database`", "leave it out")
    for index, port in enumerate(given):
        if isinstance(port, bool) or port != int(port) or not 0 < port <= MAX_PORT:
            read.refuse(f"egress_ports[{index}]", port, "is no port", f"1 to {MAX_PORT}")
        else:
            ports.add(int(port))
    return tuple(sorted(ports))
