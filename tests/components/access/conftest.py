from __future__ import annotations

import pytest
from support.controller_accesses import OWN
from tidegate_components import ControllerAccess


@pytest.fixture
def args(labels):
    def build(cloud, **own):
        given = {**OWN[cloud], **own}
        given = {key: value for key, value in given.items() if value is not None}
        return {"cloud": cloud, "labels": labels, cloud: given}

    return build


@pytest.fixture
def declare(record, args):
    def run(cloud, opts=None, **own):
        given = args(cloud, **own)
        return record(lambda: ControllerAccess("controller", given, opts))

    return run
