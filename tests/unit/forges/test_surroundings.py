"""What a job's environment says of its pull request."""

from __future__ import annotations

import json

import pytest
from support.forge import TOKEN

from tidegate.forges.surroundings import Forge, Surroundings, read_surroundings

NO_TOKEN = "there is no token in TIDEGATE_COMMENT_TOKEN or GITHUB_TOKEN or GH_TOKEN"


@pytest.fixture
def job(tmp_path):
    def build(event, **variables):
        path = tmp_path / "event.json"
        path.write_text(event if isinstance(event, str) else json.dumps(event))
        return {
            "GITHUB_REPOSITORY": "acme/vision",
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_TOKEN": TOKEN,
            **variables,
        }

    return build


PULL = {"action": "synchronize", "number": 7, "pull_request": {"number": 7, "id": 1}}


def test_a_pull_request_of_github_is_found(job, tmp_path):
    variables = job(
        PULL, GITHUB_STEP_SUMMARY=str(tmp_path / "s"), GITHUB_API_URL="https://git.acme/api/v3"
    )
    assert read_surroundings(variables) == Surroundings(
        Forge.GITHUB, "https://git.acme/api/v3", "acme/vision", 7, TOKEN, tmp_path / "s"
    )


def test_a_comment_on_a_pull_request_is_of_one_and_on_an_issue_of_none(job):
    issue = {"issue": {"number": 9, "pull_request": {"url": "…"}}}
    assert read_surroundings(job(issue)).number == 9
    of_none = read_surroundings(job({"issue": {"number": 9}}))
    assert (of_none.number, of_none.missing) == (None, "the job is of no pull request")


@pytest.mark.parametrize("event", [{"ref": "refs/heads/main"}, "[]", "no json", ""])
def test_a_job_of_no_pull_request_says_so(job, event):
    assert read_surroundings(job(event)).missing == "the job is of no pull request"


def test_a_token_of_its_own_goes_first_and_none_is_said(job):
    assert read_surroundings(job(PULL, TIDEGATE_COMMENT_TOKEN=" own ")).token == "own"
    assert read_surroundings(job(PULL, GITHUB_TOKEN="")).missing == NO_TOKEN


def test_a_merge_request_of_gitlab_is_found_in_its_own_project():
    variables = {
        "CI_PROJECT_ID": "50",
        "CI_MERGE_REQUEST_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_API_V4_URL": "https://git.acme/api/v4",
        "GITLAB_TOKEN": TOKEN,
    }
    assert read_surroundings(variables) == Surroundings(
        Forge.GITLAB, "https://git.acme/api/v4", "42", 7, TOKEN
    )
    del variables["CI_MERGE_REQUEST_IID"]
    assert read_surroundings(variables).missing == "the job is of no merge request"


def test_outside_of_any_job_there_is_nowhere():
    found = read_surroundings({})
    assert (found.forge, bool(found.missing)) == (None, True)


def test_the_token_is_in_no_repr(job):
    assert TOKEN not in repr(read_surroundings(job(PULL)))
