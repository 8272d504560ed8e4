"""The messages of storage queues over REST: `/{account}/{queue}/messages`, as emulators have it.

The account stands in the path, because every account shares this port. Bodies are XML. Form of the
requests and answers: general vendor documentation ("Queue Storage REST API"), not verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from werkzeug.wrappers import Request, Response

from tidegate.localclouds.azure.arm import Arm
from tidegate.localclouds.azure.errors import invalid_parameter
from tidegate.localclouds.azure.evictions import evict_as_told
from tidegate.localclouds.azure.ids import ArmId
from tidegate.localclouds.azure.queues import (
    clear_messages,
    delete_message,
    find_queue,
    list_messages,
    metadata_of,
    peek_messages,
    put_message,
    take_messages,
)
from tidegate.localclouds.bodies import Body
from tidegate.localclouds.refusals import CloudError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PATH = re.compile(r"/([a-z0-9]{3,24})/([a-z0-9-]{3,63})(/messages(?:/([^/]+))?)?")
MOST_AT_ONCE = 32
HIDDEN_SECONDS = 30
LONGEST_HIDDEN_SECONDS = 7 * 24 * 3600
LARGEST_BYTES = 64 * 1024


class QueueFace:
    """The WSGI application over the queues of one `Arm`."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        request = Request(environ)
        try:
            evict_as_told(self._arm)
            response = self._answer(request)
        except CloudError as error:
            response = _render_error(error)
        response.headers["x-ms-version"] = request.headers.get("x-ms-version", "2024-11-04")
        return response(environ, start)

    def _answer(self, request: Request) -> Response:
        found = PATH.fullmatch(request.path)
        assert found is not None  # see `knows`
        account, name, messages, own = found.groups()
        queue = find_queue(self._arm, account, name)
        if own:
            return self._change(request, queue, own)
        if messages:
            return self._serve(request, queue)
        headers = {f"x-ms-meta-{k}": str(v) for k, v in metadata_of(self._arm, queue).items()}
        count = str(len(list_messages(self._arm, queue)))
        return Response(headers={**headers, "x-ms-approximate-messages-count": count})

    def _serve(self, request: Request, queue: ArmId) -> Response:
        if request.method == "POST":
            message = put_message(self._arm, queue, _read_text(request.get_data()))
            return _render([message], ("PopReceipt", "TimeNextVisible"), 201)
        if request.method == "DELETE":
            clear_messages(self._arm, queue)
            return Response(status=204)
        count = _read_number(request, "numofmessages", 1, 1, MOST_AT_ONCE)
        if request.args.get("peekonly") == "true":
            return _render(peek_messages(self._arm, queue, count), ("DequeueCount", "MessageText"))
        hidden = _read_number(
            request, "visibilitytimeout", HIDDEN_SECONDS, 1, LONGEST_HIDDEN_SECONDS
        )
        return _render(take_messages(self._arm, queue, count, hidden), tuple(_VALUES))

    def _change(self, request: Request, queue: ArmId, own: str) -> Response:
        if request.method != "DELETE":
            raise CloudError(
                "UnsupportedHttpVerb", "The resource doesn't support specified Http Verb.", 405
            )
        delete_message(self._arm, queue, own, request.args.get("popreceipt", ""))
        return Response(status=204)


def knows(path: str) -> bool:
    """Tell whether a path is one of a queue's."""
    return PATH.fullmatch(path) is not None


def _read_number(request: Request, name: str, usual: int, least: int, most: int) -> int:
    text = request.args.get(name, str(usual))
    if not text.isdecimal() or not least <= int(text) <= most:
        raise invalid_parameter(name, f"'{text}' is not between {least} and {most}.")
    return int(text)


def _read_text(raw: bytes) -> str:
    try:
        # Loopback alone reaches this parser, and Python's reads no external entities.
        text = ET.fromstring(raw).findtext("MessageText")  # noqa: S314 - see above
    except ET.ParseError as error:
        raise CloudError("InvalidXmlDocument", f"XML specified is not valid: {error}") from error
    if text is None:
        raise CloudError("MissingRequiredXmlNode", "MessageText is missing.")
    if len(text.encode()) > LARGEST_BYTES:
        raise CloudError("RequestBodyTooLarge", "A message has at most 64 KiB.", 413)
    return text


def _date(moment: float | None) -> str:
    end = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    time = end if moment is None else datetime.fromtimestamp(moment, UTC)
    return format_datetime(time, usegmt=True)


_VALUES: Mapping[str, Callable[[Body], str]] = {
    "PopReceipt": lambda message: message["popReceipt"],
    "TimeNextVisible": lambda message: _date(message["visible"]),
    "DequeueCount": lambda message: str(message["dequeueCount"]),
    "MessageText": lambda message: message["text"],
}


def _render(messages: Sequence[Body], words: Sequence[str], status: int = 200) -> Response:
    root = ET.Element("QueueMessagesList")
    for message in messages:
        inner = ET.SubElement(root, "QueueMessage")
        values = {
            "MessageId": message["messageId"],
            "InsertionTime": _date(message["inserted"]),
            "ExpirationTime": _date(message["expires"]),
            **{word: _VALUES[word](message) for word in words},
        }
        for name, text in values.items():
            ET.SubElement(inner, name).text = text
    return Response(_write(root), status=status, mimetype="application/xml")


def _render_error(error: CloudError) -> Response:
    root = ET.Element("Error")
    ET.SubElement(root, "Code").text = error.code
    ET.SubElement(root, "Message").text = error.message
    headers = {"x-ms-error-code": error.code}
    return Response(_write(root), status=error.status, headers=headers, mimetype="application/xml")


def _write(root: ET.Element) -> bytes:
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))
