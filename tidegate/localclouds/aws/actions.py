"""Which action of which AWS service a request is, and how that service says an error."""

from __future__ import annotations

import json
import re
from functools import cache
from xml.sax.saxutils import escape

from tidegate.localclouds.aws.journal import Entry

READ_VERBS = ("Describe", "Get", "List", "Head", "BatchGet", "Lookup", "Search", "Filter")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Actions whose names read like a look-up and that change something all the same.
WRITING_READS = frozenset({"GetSessionToken"})
POSTED_READS = frozenset({"savingsplans"})
FORM_HEAD = 4096  # a form's action stands at its beginning
Answer = tuple[str, list[tuple[str, str]], bytes]


def find_service(entry: Entry) -> str:
    """Return the service that a request was signed for, "" when it was not signed."""
    parts = _find_scope(entry)
    return parts[3] if len(parts) > 3 else ""


def find_region(entry: Entry) -> str:
    """Return the region that a request was signed for, "" when it was not signed."""
    parts = _find_scope(entry)
    return parts[2] if len(parts) > 3 else ""


def _find_scope(entry: Entry) -> list[str]:
    """Return the parts of a signature's scope: key, date, region, service, terminator."""
    scope = entry.environ.get("HTTP_AUTHORIZATION", "").split("Credential=")[-1].split(",")[0]
    return scope.split("/")


def raw_path(entry: Entry) -> str:
    """Return the path as it was sent: an ARN within it is one part, its slashes quoted."""
    sent = entry.environ.get("RAW_URI") or entry.environ.get("PATH_INFO", "")
    return sent.partition("?")[0]


def find_action(entry: Entry) -> str:
    """Return the action's name as headers or a form tell it; for REST, the HTTP method."""
    target = entry.environ.get("HTTP_X_AMZ_TARGET", "")
    if target:
        return target.split(".")[-1]
    rpc = re.fullmatch(r"/service/\w+/operation/(\w+)", entry.environ.get("PATH_INFO", ""))
    if rpc:  # Smithy's RPC over CBOR (CloudWatch)
        return rpc[1]
    match = re.match(rb"(?:.*&)?Action=(\w+)", entry.body[:FORM_HEAD])
    return match[1].decode() if match else entry.environ["REQUEST_METHOD"]


def is_read(action: str) -> bool:
    """Tell whether a request changes nothing."""
    if action in WRITING_READS:
        return False
    return action in SAFE_METHODS or action.startswith(READ_VERBS)


def only_reads(entry: Entry) -> bool:
    """Tell whether a request changes nothing; some REST services post their look-ups too."""
    action = find_action(entry)
    if action == "POST" and find_service(entry) in POSTED_READS:
        action = name_action(entry).partition(":")[2]
    return is_read(action)


def name_action(entry: Entry) -> str:
    """Return "service:Action" with REST actions named too ("eks:CreateNodegroup")."""
    service, action = find_service(entry), find_action(entry)
    if action != entry.environ["REQUEST_METHOD"] or not service:
        return f"{service}:{action}"
    path = raw_path(entry)
    query = set(re.findall(r"(?:^|&)([^=&]+)", entry.environ.get("QUERY_STRING", "")))
    matches = [
        (len(flags), name)
        for method, pattern, flags, name in _rest_actions(service)
        if method == action and pattern.fullmatch(path) and flags <= query
    ]
    return f"{service}:{max(matches)[1] if matches else action}"


@cache
def _rest_actions(service: str) -> list[tuple[str, re.Pattern[str], frozenset[str], str]]:
    """Return (method, path, query flags, name) of a REST service's actions, from botocore."""
    from botocore.exceptions import UnknownServiceError  # type: ignore[import-untyped]
    from botocore.session import get_session  # type: ignore[import-untyped]

    try:
        model = get_session().get_service_model(service)
    except UnknownServiceError:
        return []
    found = []
    for name in model.operation_names:
        http = model.operation_model(name).http
        path, _, query = http["requestUri"].partition("?")
        pattern = re.sub(r"\\{(\w+)(\\\+)?\\}", _to_group, re.escape(path))
        flags = frozenset(part.split("=")[0] for part in query.split("&") if part)
        found.append((http["method"], re.compile(pattern + "/?"), flags, name))
    return found


def _to_group(match: re.Match[str]) -> str:
    return ".+" if match[2] else "[^/]+"


def render_error(entry: Entry, code: str, message: str, status: int) -> Answer:
    """Return an error in the form that the SDK of the request's service reads."""
    service, line = find_service(entry), f"{status} Error"
    if service == "s3":
        return line, [("content-type", "application/xml")], _to_xml(code, message, "{error}")
    if service == "ec2":
        form = "<Response><Errors>{error}</Errors><RequestID>local</RequestID></Response>"
        return line, [("content-type", "text/xml")], _to_xml(code, message, form)
    if entry.body.startswith(b"Action=") or b"&Action=" in entry.body[:FORM_HEAD]:
        form = "<ErrorResponse>{error}<RequestId>local</RequestId></ErrorResponse>"
        return line, [("content-type", "text/xml")], _to_xml(code, message, form)
    body = json.dumps({"__type": code, "message": message}).encode()
    return line, [("content-type", "application/json"), ("x-amzn-errortype", code)], body


def _to_xml(code: str, message: str, form: str) -> bytes:
    words = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    return form.format(error=f"<Error>{words}</Error>").encode()
