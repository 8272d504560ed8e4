"""A pull request with comments at a stand-in of its forge."""

from __future__ import annotations

import pytest
from support.forge import TOKEN, StandIn, serve_forge

from tidegate.forges.github import GitHubThread, open_github
from tidegate.forges.gitlab import GitLabThread, open_gitlab


@pytest.fixture
def forge():
    with serve_forge(StandIn()) as stand_in:
        yield stand_in


@pytest.fixture
def waits():
    return []


@pytest.fixture
def api(forge, waits):
    with open_github(forge.url, TOKEN, waits.append) as found:
        yield found


@pytest.fixture
def thread(api):
    return GitHubThread(api, "acme/vision", 7)


@pytest.fixture
def gitlab_thread(forge, waits):
    with open_gitlab(forge.url, TOKEN, waits.append) as found:
        yield GitLabThread(found, "42", 7)
