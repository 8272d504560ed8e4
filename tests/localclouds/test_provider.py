"""The engine's protocol, spoken to the provider over a real port."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tidegate.localclouds.contracts import UNKNOWN, Created
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.server import open_provider
from tidegate.localclouds.stored import StoredType
from tidegate.localclouds.wire import parse_struct, render_struct

GROUP = "aws:cloudwatch/logGroup:LogGroup"
WORKGROUP = "aws:athena/workgroup:Workgroup"  # no behaviour of its own: stored


def urn_of(token, name):
    return f"urn:pulumi:dev::tests::{token}::{name}"


class Client:
    """The calls of the engine, with plain values."""

    def __init__(self, channel):
        self.stub = provider_pb2_grpc.ResourceProviderStub(channel)

    async def configure(self, **settings):
        request = provider_pb2.ConfigureRequest(args=render_struct(settings))
        return await self.stub.Configure(request)

    async def check(self, token, name, news, olds=None, secrets=(), seed=b"s"):
        request = provider_pb2.CheckRequest(
            urn=urn_of(token, name),
            news=render_struct(news, secrets),
            olds=render_struct(olds or {}),
            randomSeed=seed,
        )
        answer = await self.stub.Check(request)
        failures = {failure.property: failure.reason for failure in answer.failures}
        return parse_struct(answer.inputs), failures

    async def create(self, token, name, inputs, preview=False, secrets=()):
        request = provider_pb2.CreateRequest(
            urn=urn_of(token, name), properties=render_struct(inputs, secrets), preview=preview
        )
        answer = await self.stub.Create(request)
        return answer.id, parse_struct(answer.properties)

    async def diff(self, token, name, key, old, new):
        request = provider_pb2.DiffRequest(
            id=key,
            urn=urn_of(token, name),
            olds=render_struct(old),
            old_inputs=render_struct(old),
            news=render_struct(new),
        )
        return await self.stub.Diff(request)

    async def read(self, token, name, key, inputs=None, secrets=()):
        request = provider_pb2.ReadRequest(
            id=key, urn=urn_of(token, name), inputs=render_struct(inputs or {}, secrets)
        )
        return await self.stub.Read(request)

    async def update(self, token, name, key, old, new, preview=False):
        request = provider_pb2.UpdateRequest(
            id=key,
            urn=urn_of(token, name),
            olds=render_struct(old),
            old_inputs=render_struct(old),
            news=render_struct(new),
            preview=preview,
        )
        answer = await self.stub.Update(request)
        return parse_struct(answer.properties)

    async def delete(self, token, name, key):
        await self.stub.Delete(provider_pb2.DeleteRequest(id=key, urn=urn_of(token, name)))


@asynccontextmanager
async def connect(aws, count=1):
    server, port = await open_provider(aws.cloud, aws.world)
    options = [("grpc.use_local_subchannel_pool", 1)]  # a connection each, as the engine opens
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{port}", options) for _ in range(count)]
    try:
        yield [Client(channel) for channel in channels]
    finally:
        for channel in channels:
            await channel.close()
        await server.stop(0)


def converse(aws, talk, count=1):
    """Run an async conversation with the provider."""

    async def run():
        async with connect(aws, count) as clients:
            return await talk(*clients)

    return asyncio.run(run())


def test_introduces_itself(aws):
    async def talk(client):
        await client.stub.Attach(plugin_pb2.PluginAttach(address="x"))
        handshake = await client.stub.Handshake(provider_pb2.ProviderHandshakeRequest())
        configured = await client.configure(region="us-east-1")
        info = await client.stub.GetPluginInfo(Empty())
        return handshake, configured, info

    handshake, configured, info = converse(aws, talk)

    assert handshake.accept_secrets
    assert configured.acceptSecrets
    assert configured.supportsPreview
    assert not configured.acceptOutputs
    assert info.version.startswith("7.")


def test_default_tags_belong_to_the_provider_behind_the_connection(aws):
    async def talk(tagged, plain):
        await tagged.configure(region="us-east-1", defaultTags='{"tags": {"team": "ml"}}')
        await plain.configure(region="us-east-1")
        inputs = {"tags": {"own": "x"}}
        first, _ = await tagged.check(GROUP, "a", inputs)
        second, _ = await plain.check(GROUP, "b", inputs)
        unknown, _ = await tagged.check(GROUP, "c", {"tags": {"own": UNKNOWN}})
        return first.values, second.values, unknown.values

    first, second, unknown = converse(aws, talk, count=2)

    assert first["tagsAll"] == {"team": "ml", "own": "x"}
    assert first["tags"] == {"own": "x"}
    assert second["tagsAll"] == {"own": "x"}
    assert unknown["tagsAll"] is UNKNOWN


def test_a_preview_creates_nothing_and_knows_inputs_alone(aws):
    async def talk(client):
        inputs, failures = await client.check(GROUP, "preview", {"retentionInDays": 30})
        key, outputs = await client.create(GROUP, "preview", inputs.values, preview=True)
        return inputs.values, failures, key, outputs.values

    inputs, failures, key, outputs = converse(aws, talk)

    assert failures == {}
    assert key == ""
    assert outputs["retentionInDays"] == 30
    assert outputs["name"] == inputs["name"]
    assert outputs["arn"] is UNKNOWN
    assert aws.world.store.list(urn=urn_of(GROUP, "preview")) == []


def test_a_life_from_create_to_delete(aws):
    async def talk(client):
        await client.configure(region="us-east-1")
        inputs, _ = await client.check(GROUP, "life", {"retentionInDays": 30})
        key, made = await client.create(GROUP, "life", inputs.values)
        newer, _ = await client.check(GROUP, "life", {"retentionInDays": 60}, inputs.values)
        difference = await client.diff(GROUP, "life", key, inputs.values, newer.values)
        updated = await client.update(GROUP, "life", key, inputs.values, newer.values)
        seen = await client.read(GROUP, "life", key, newer.values)
        await client.delete(GROUP, "life", key)
        gone = await client.read(GROUP, "life", key, newer.values)
        return inputs.values, key, made.values, newer.values, difference, updated.values, seen, gone

    inputs, key, made, newer, difference, updated, seen, gone = converse(aws, talk)

    assert made["arn"] == f"arn:aws:logs:us-east-1:123456789012:log-group:{key}"
    assert newer == {**inputs, "retentionInDays": 60}
    assert list(difference.diffs) == ["retentionInDays"]
    assert list(difference.replaces) == []
    assert updated["retentionInDays"] == 60
    assert seen.id == key
    assert parse_struct(seen.inputs).values == newer
    assert gone.id == ""


def test_secrets_stay_secret_in_answers_and_in_the_store(aws):
    secrets = {("description",)}

    async def talk(client):
        inputs, _ = await client.check(
            WORKGROUP, "secret", {"description": "hush"}, secrets=secrets
        )
        key, made = await client.create(WORKGROUP, "secret", inputs.values, secrets=inputs.secrets)
        return inputs, key, made

    inputs, key, made = converse(aws, talk)
    record = aws.world.store.get("aws", WORKGROUP, key)

    assert inputs.secrets == made.secrets == secrets
    assert record.inputs["description"]["value"] == "hush"
    assert record.outputs["description"]["value"] == "hush"


@pytest.mark.parametrize("token", [WORKGROUP, GROUP])
@pytest.mark.parametrize("place", [("tags",), ("tags", "owner")])
def test_a_secret_tag_is_secret_wherever_all_tags_are_shown(aws, token, place):
    tags = {"owner": "hush", "team": "ml"}
    name = f"tags-{token[-5:]}-{len(place)}"
    everywhere = {place, ("tagsAll", *place[1:])}

    async def talk(client):
        inputs, _ = await client.check(token, name, {"tags": tags}, secrets={place})
        _, planned = await client.create(token, name, inputs.values, True, inputs.secrets)
        key, made = await client.create(token, name, inputs.values, secrets=inputs.secrets)
        seen = await client.read(token, name, key, inputs.values, inputs.secrets)
        await client.delete(token, name, key)
        return inputs, planned, made, parse_struct(seen.inputs), parse_struct(seen.properties)

    for answer in converse(aws, talk):
        assert answer.secrets == everywhere
        assert answer.values["tagsAll"] == tags


def test_secret_default_tags_make_all_tags_secret(aws):
    async def talk(client):
        settings = {"region": "us-east-1", "defaultTags": '{"tags": {"owner": "hush"}}'}
        request = provider_pb2.ConfigureRequest(args=render_struct(settings, {("defaultTags",)}))
        await client.stub.Configure(request)
        inputs, _ = await client.check(GROUP, "defaults", {"tags": {"team": "ml"}})
        key, made = await client.create(GROUP, "defaults", inputs.values)
        await client.delete(GROUP, "defaults", key)
        return inputs, made

    inputs, made = converse(aws, talk)

    assert inputs.values["tagsAll"] == {"owner": "hush", "team": "ml"}
    assert inputs.secrets == made.secrets == {("tagsAll",)}


def test_an_unknown_type_is_an_error_in_words(aws):
    async def talk(client):
        await client.check("aws:sns/topik:Topik", "x", {})

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        converse(aws, talk)

    assert "did you mean aws:sns/topic:Topic?" in refused.value.details()


def test_a_type_without_a_behaviour_is_validated_and_stored(aws):
    async def talk(client):
        _, failures = await client.check(WORKGROUP, "stored", {"descriptio": "x"})
        inputs, _ = await client.check(WORKGROUP, "stored", {"name": "stored", "description": "x"})
        key, made = await client.create(WORKGROUP, "stored", inputs.values)
        return failures, key, made.values

    failures, key, made = converse(aws, talk)

    assert "did you mean 'description'?" in failures["descriptio"]
    assert key == "stored"
    assert made["description"] == "x"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FaultKind.STOCK_OUT, "InsufficientInstanceCapacity"),
        (FaultKind.QUOTA, "VcpuLimitExceeded"),
        (FaultKind.THROTTLING, "Throttling: Rate exceeded"),
        (FaultKind.INTERRUPTION, "SpotInstanceInterruption"),
    ],
)
def test_fails_on_command_as_often_as_told(aws, kind, words):
    async def talk(client):
        await client.configure(region="us-east-1")
        inputs, _ = await client.check(WORKGROUP, kind, {"name": f"fault-{kind.value}"})
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await client.create(WORKGROUP, kind, inputs.values)
        key, _ = await client.create(WORKGROUP, kind, inputs.values)
        return refused.value.details(), key

    aws.world.faults.add(Fault(kind, "aws", WORKGROUP, count=1))
    details, key = converse(aws, talk)

    assert words in details
    assert key == f"fault-{kind.value}"


def test_latency_delays_a_create_and_lets_it_pass(aws):
    async def talk(client):
        loop = asyncio.get_running_loop()
        start = loop.time()
        key, _ = await client.create(WORKGROUP, "slow", {"name": "slow"})
        return key, loop.time() - start

    aws.world.faults.add(Fault(FaultKind.LATENCY, "*", WORKGROUP, count=1, seconds=0.2))
    key, seconds = converse(aws, talk)

    assert key == "slow"
    assert seconds >= 0.2


def test_a_create_whose_answer_was_lost_is_taken_over(aws):
    async def talk(client):
        inputs, _ = await client.check(GROUP, "lost", {"name": "lost"})
        first, _ = await client.create(GROUP, "lost", inputs.values)
        second, _ = await client.create(GROUP, "lost", inputs.values)
        await client.diff(GROUP, "lost", second, inputs.values, inputs.values)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await client.create(GROUP, "lost", inputs.values)
        return first, second, refused.value.details()

    first, second, details = converse(aws, talk)

    assert first == second == "lost"
    assert "ResourceAlreadyExistsException" in details


def test_what_a_lost_create_left_under_another_auto_name_is_cleared_away(aws):
    async def talk(client):
        first, _ = await client.check(GROUP, "orphan", {"retentionInDays": 1}, seed=b"1")
        orphan, _ = await client.create(GROUP, "orphan", first.values)
        second, _ = await client.check(GROUP, "orphan", {"retentionInDays": 1}, seed=b"2")
        kept, _ = await client.create(GROUP, "orphan", second.values)
        return orphan, kept

    orphan, kept = converse(aws, talk)

    assert orphan != kept
    assert [record.id for record in aws.world.store.list(urn=urn_of(GROUP, "orphan"))] == [kept]


def test_an_import_reads_what_boto3_made(aws, boto):
    boto("logs").create_log_group(logGroupName="by-hand")

    async def talk(client):
        found = await client.read(GROUP, "imported", "by-hand")
        nothing = await client.read(GROUP, "imported", "no-such-group")
        return found, nothing

    found, nothing = converse(aws, talk)

    assert found.id == "by-hand"
    assert parse_struct(found.inputs).values == {"name": "by-hand"}
    assert nothing.id == ""


def test_look_ups(aws):
    async def talk(client):
        await client.configure(region="us-east-1")

        async def ask(token, **arguments):
            request = provider_pb2.InvokeRequest(tok=token, args=render_struct(arguments))
            answer = await client.stub.Invoke(request)
            return parse_struct(getattr(answer, "return")).values

        zones = await ask("aws:index/getAvailabilityZones:getAvailabilityZones")
        caller = await ask("aws:index/getCallerIdentity:getCallerIdentity")
        document = await ask(
            "aws:iam/getPolicyDocument:getPolicyDocument",
            statements=[{"actions": ["s3:*"], "resources": ["*"]}],
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ask("aws:ec2/getAmi:getAmi")
        return zones, caller, document, refused.value.details()

    zones, caller, document, details = converse(aws, talk)

    assert zones["names"][:2] == ["us-east-1a", "us-east-1b"]
    assert caller["accountId"] == "123456789012"
    assert '"Action":"s3:*"' in document["minifiedJson"]
    assert "do not answer aws:ec2/getAmi:getAmi" in details


def test_a_fault_of_ours_reaches_the_engine_in_words_and_the_journal_is_kept(aws, caplog):
    class Broken(StoredType):
        def create(self, inputs, call) -> Created:
            client = aws.cloud.behaviours[GROUP].client(call, {})
            client.create_log_group(logGroupName="done-before-the-fault")
            raise ZeroDivisionError("oops")

    class Refusing(StoredType):
        def create(self, inputs, call) -> Created:
            raise CloudError("LimitExceeded", "too many", 400)

    async def talk(client):
        details = []
        for name in ("broken", "refusing"):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await client.create(WORKGROUP, name, {"name": name})
            details.append(refused.value.details())
            aws.cloud.behaviours[WORKGROUP] = Refusing()
        return details

    aws.cloud.behaviours[WORKGROUP] = Broken()
    try:
        broken, refusing = converse(aws, talk)
    finally:
        del aws.cloud.behaviours[WORKGROUP]

    with aws.world.store.transaction() as connection:
        row = connection.execute("SELECT body FROM aws_journal ORDER BY sequence DESC LIMIT 1")
        last = row.fetchone()[0]
    assert b"done-before-the-fault" in last
    assert broken == "fault in the local clouds: ZeroDivisionError: oops"
    assert refusing == "LimitExceeded: too many"
    assert aws.world.store.get("aws", WORKGROUP, "broken") is None
