from __future__ import annotations

import pytest

from tidegate.policy.collected import FORMAT, read_collected
from tidegate.vocabulary.problems import InvalidInput

URN = "urn:pulumi:dev::vision::aws:s3/bucket:Bucket::a"


def test_a_collected_program_is_a_whole_stack_of_its_configuration():
    state = {"urn": URN, "type": "aws:s3/bucket:Bucket", "provider": "", "custom": True}
    config = {"vision:environment": "prod", "aws:defaultTags": '{"tags": {"owner": "a"}}'}
    graph = read_collected("program", {"format": FORMAT, "config": config, "resources": [state]})
    assert graph.complete
    assert graph.stack.environment == "prod"
    provider = graph.resources[0].provider
    assert provider is not None
    assert provider.properties == {"defaultTags": '{"tags": {"owner": "a"}}'}


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"format": "tidegate/collected/v9", "config": {}, "resources": []},
        {"format": FORMAT, "config": {}, "resources": {}},
        {"format": FORMAT, "resources": []},
    ],
)
def test_another_document_is_refused(document):
    with pytest.raises(InvalidInput, match=r"^program: "):
        read_collected("program", document)
