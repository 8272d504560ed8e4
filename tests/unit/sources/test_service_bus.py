"""Service Bus by Azure's own administration client, against answers of the shape that it gives.

The shape is that of Microsoft's published Atom feeds (queue and subscription descriptions with
CountDetails); the figures are made up.
"""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest
from azure.core.credentials import AccessToken
from azure.core.pipeline.transport import RequestsTransport
from support.answering import answering

from tidegate.clouds.azure.messaging import build_service_bus_client
from tidegate.sources.config import ServiceBusSource, parse_sources
from tidegate.sources.counted import Count
from tidegate.sources.service_bus import count_messages
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault

NAMESPACE = "acme-ml.servicebus.windows.net"
WORK = {"accelerators": [{"accelerator": "h100-80gb", "perWorker": 1}]}
ENTRY = """<entry xmlns="http://www.w3.org/2005/Atom"><id>https://{host}/{path}</id>
<title type="text">{path}</title><content type="application/xml">
<{kind} xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
 xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><LockDuration>PT1M</LockDuration>
<MessageCount>9</MessageCount><CreatedAt>2026-11-30T10:00:00Z</CreatedAt>
<UpdatedAt>2026-11-30T10:00:00Z</UpdatedAt><AccessedAt>2026-11-30T11:00:00Z</AccessedAt>
<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">
<d2p1:ActiveMessageCount>{active}</d2p1:ActiveMessageCount>
<d2p1:DeadLetterMessageCount>2</d2p1:DeadLetterMessageCount>
<d2p1:ScheduledMessageCount>1</d2p1:ScheduledMessageCount>
<d2p1:TransferMessageCount>0</d2p1:TransferMessageCount>
<d2p1:TransferDeadLetterMessageCount>0</d2p1:TransferDeadLetterMessageCount>
</CountDetails></{kind}></content></entry>"""


class Anyone:
    def get_token(self, *_scopes, **_options):
        return AccessToken("a-token", 2**31)


class Namespace(RequestsTransport):
    """Sends what is meant for the namespace to a server of the test."""

    url = ""

    def send(self, request, **options):
        request.url = request.url.replace(f"https://{NAMESPACE}", self.url)
        return super().send(request, **options)


@pytest.fixture
def bus():
    """Yield a client, and the answers that it gets: path → (status, body)."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            allowed = self.headers["Authorization"] == "Bearer a-token"
            status, body = answers.get(self.path.partition("?")[0], (404, ""))
            self.send_response(status if allowed else 401)
            self.send_header("Content-Type", "application/atom+xml;type=entry;charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with answering(Handler) as port:
        transport = Namespace()
        transport.url = f"http://127.0.0.1:{port}"
        with build_service_bus_client(NAMESPACE, Anyone(), transport=transport) as client:
            yield client, answers


def entry(kind, path, active):
    return 200, ENTRY.format(kind=kind, path=path, active=active, host=NAMESPACE)


def source(**entity):
    return ServiceBusSource(
        kind="service-bus", name="jobs", namespace=NAMESPACE, work=WORK, **entity
    )


def test_active_messages_of_a_queue_count_and_dead_or_later_ones_do_not(bus):
    client, answers = bus
    answers["/jobs"] = entry("QueueDescription", "jobs", 6)

    assert count_messages(source(queue="jobs"), client)() == Count(6)


def test_active_messages_of_a_subscription_count(bus):
    client, answers = bus
    answers["/runs/subscriptions/gpu"] = entry("SubscriptionDescription", "gpu", 4)

    assert count_messages(source(topic="runs", subscription="gpu"), client)() == Count(4)


@pytest.mark.parametrize(
    "answer",
    [(404, ""), (401, ""), (500, ""), (200, "<html"), (200, "<feed/>")],
    ids=["absent", "denied", "broken", "no XML", "no queue"],
)
def test_what_is_no_queue_is_a_fault_and_never_none(bus, answer):
    client, answers = bus
    answers["/jobs"] = answer

    with pytest.raises(SourceFault, match=f"{NAMESPACE}/jobs cannot be read"):
        count_messages(source(queue="jobs"), client)()


def test_a_namespace_that_is_away_is_a_fault(bus):
    client, _ = bus
    client._impl._client._pipeline._transport.url = "http://127.0.0.1:9"

    with pytest.raises(SourceFault, match="cannot be read"):
        count_messages(source(queue="jobs"), client)()


@pytest.mark.parametrize(
    ("entity", "says"),
    [
        ({}, "names no queue"),
        ({"queue": "q", "topic": "t"}, "or both"),
        ({"topic": "t"}, "names no queue"),
        ({"queue": "q", "namespace": "acme"}, "namespace"),
    ],
    ids=["nothing", "both", "no subscription", "no host"],
)
def test_a_source_that_names_no_entity_is_told(entity, says):
    document = {"kind": "service-bus", "name": "jobs", "namespace": NAMESPACE, "work": WORK}

    with pytest.raises(InvalidInput, match=says):
        parse_sources("sources.yaml", {"sources": [{**document, **entity}]})
