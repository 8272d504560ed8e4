"""Small queues and clouds for the tests of the simulation."""

from __future__ import annotations

from decimal import Decimal

from tidegate.scaling.fleet import PoolSupply
from tidegate.scaling.offerings import NodeRoom, Offering, Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.simulation.bounds import NodeTerms
from tidegate.simulation.jobs import Job, build_shape
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.setup import Setup
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import CheckpointHabit

HABIT = CheckpointHabit(interval_seconds=600, write_seconds=10, restart_seconds=60)
POOL = PoolSupply("pool", "cloud", "region", "cloud/region/main", 0, 100)
SPOT_POOL = PoolSupply("spot", "cloud", "region", "cloud/region/main", 0, 16)
ROOM = NodeRoom("gpu", 8, None, None)
NODE = Offering("pool/node", "pool", "node", CapacityType.ON_DEMAND, ROOM, Decimal(8), 240)
SPOT = Offering("spot/node", "spot", "node", CapacityType.SPOT, ROOM, Decimal("2.4"), 240)
TERMS = NodeTerms(8.0, 8, 240)
OURS = Tidegate(ScalingSettings(node_cooldown_seconds=60, keep_alive_min_seconds=0))


def job(name: str, submitted: int, seconds: int, gpus: int = 8, deadline: int | None = None) -> Job:
    return Job(name, submitted, seconds, build_shape(gpus, 8, "gpu", HABIT), deadline)


def setup(*jobs: Job, end: int = 36_000, spot=None, **changes) -> Setup:
    pools = (POOL,) if spot is None else (POOL, SPOT_POOL)
    offered = (NODE,) if spot is None else (NODE, SPOT)
    capacity = {} if spot is None else {"spot/node": spot}
    return Setup(jobs, pools, Offerings(offered), end, capacity=capacity, **changes)
