from __future__ import annotations

import pytest
from azure.core.exceptions import HttpResponseError, ServiceRequestError
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from google.api_core import exceptions as google

from tidegate.clouds.aws import refusals as aws
from tidegate.clouds.azure import refusals as azure
from tidegate.clouds.gcp import refusals as gcp
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind

STOCK_OUT = "The zone does not have enough resources available to fulfill the request."


def kind_of(refusing, error):
    with pytest.raises(CloudRefused) as caught, refusing("resizing"):
        raise error
    return caught.value.kind


def client_error(code, message=""):
    return ClientError({"Error": {"Code": code, "Message": message}}, "SetDesiredCapacity")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (client_error("InsufficientInstanceCapacity"), RefusalKind.STOCK_OUT),
        (client_error("VcpuLimitExceeded"), RefusalKind.QUOTA),
        (client_error("Throttling"), RefusalKind.THROTTLED),
        (client_error("ExpiredToken"), RefusalKind.DENIED),
        (client_error("ValidationError", "AutoScalingGroup name not found"), RefusalKind.NOT_FOUND),
        (client_error("ValidationError", "above maximum"), RefusalKind.INVALID),
        (client_error("ResourceInUseException"), RefusalKind.CONFLICT),
        (client_error("InternalFailure"), RefusalKind.TRANSIENT),
        (EndpointConnectionError(endpoint_url="http://x"), RefusalKind.TRANSIENT),
        (NoCredentialsError(), RefusalKind.DENIED),
    ],
)
def test_aws_errors_are_classified(error, kind):
    assert kind_of(aws.refusing, error) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (google.ServiceUnavailable(STOCK_OUT), RefusalKind.STOCK_OUT),
        (google.Forbidden("Quota 'GPUS_ALL_REGIONS' exceeded."), RefusalKind.QUOTA),
        (google.TooManyRequests("slow down"), RefusalKind.THROTTLED),
        (google.Forbidden("no permission"), RefusalKind.DENIED),
        (google.NotFound("no pool"), RefusalKind.NOT_FOUND),
        (google.FailedPrecondition("operation in progress"), RefusalKind.CONFLICT),
        (google.PreconditionFailed("changed meanwhile"), RefusalKind.CONFLICT),
        (google.BadRequest("size"), RefusalKind.INVALID),
        (google.InternalServerError("oops"), RefusalKind.TRANSIENT),
        (google.RetryError("gave up", cause=None), RefusalKind.TRANSIENT),
    ],
)
def test_google_errors_are_classified(error, kind):
    assert kind_of(gcp.refusing, error) is kind


class AzureAnswer:
    reason = "reason"
    headers: dict[str, str] = {}  # noqa: RUF012 - as the SDK has it
    content_type = "application/json"

    def __init__(self, status, code, message):
        self.status_code = status
        self._text = f'{{"error": {{"code": "{code}", "message": "{message}"}}}}'

    def text(self, encoding=None):
        return self._text

    def body(self):
        return self._text.encode()


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (409, "AllocationFailed", "", RefusalKind.STOCK_OUT),
        (409, "OperationNotAllowed", "exceeding approved cores quota", RefusalKind.QUOTA),
        (409, "OperationNotAllowed", "another operation", RefusalKind.CONFLICT),
        (429, "TooManyRequests", "", RefusalKind.THROTTLED),
        (403, "AuthorizationFailed", "", RefusalKind.DENIED),
        (404, "ResourceNotFound", "", RefusalKind.NOT_FOUND),
        (400, "InvalidParameter", "", RefusalKind.INVALID),
        (500, "InternalServerError", "", RefusalKind.TRANSIENT),
    ],
)
def test_azure_errors_are_classified(status, code, message, kind):
    error = HttpResponseError(response=AzureAnswer(status, code, message))

    assert kind_of(azure.refusing, error) is kind


def test_a_connection_to_azure_that_breaks_may_pass():
    assert kind_of(azure.refusing, ServiceRequestError("reset")) is RefusalKind.TRANSIENT


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("We currently do not have sufficient p5 capacity in the zone", RefusalKind.STOCK_OUT),
        ("VcpuLimitExceeded: You have requested more", RefusalKind.QUOTA),
    ],
)
def test_a_failed_scaling_activity_says_why(message, kind):
    found = aws.classify_activity(message)

    assert found is not None
    assert (found.kind, found.message) == (kind, message)


def test_a_failed_scaling_activity_may_say_nothing_of_capacity():
    assert aws.classify_activity("the launch template is gone") is None
