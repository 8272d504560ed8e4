"""boto3 inside the process: real clients whose requests take moto's door without a socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore import UNSIGNED  # type: ignore[import-untyped]
from botocore.awsrequest import AWSPreparedRequest, AWSResponse  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ClientError, ParamValidationError  # type: ignore[import-untyped]

from tidegate.localclouds.aws.moto_front import MotoFront
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError

NOWHERE = "http://127.0.0.1:9"  # never dialled: the hook answers first
DEFAULT_REGION = "us-east-1"
NOT_FOUND_WORDS = (
    "NotFound",
    "NoSuch",
    "NonExistent",
    "DoesNotExist",
    "UnknownMonitor",
    "UnknownSubscription",
    ".Unknown",
)


class Client:
    """A boto3 client that raises `CloudError` where AWS refuses."""

    def __init__(self, service: str, region: str, front: MotoFront) -> None:
        self._client = boto3.client(
            service,
            region_name=region,
            endpoint_url=NOWHERE,
            config=Config(
                retries={"total_max_attempts": 1},
                s3={"addressing_style": "path"},
                signature_version=UNSIGNED,
            ),
        )
        scope = self._client.meta.service_model.signing_name

        def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
            return front.send(scope, region, request)

        self._client.meta.events.register("before-send", answer)
        self._calls: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = self._calls.get(name)
        if call is None:
            call = self._calls[name] = _translate(getattr(self._client, name))
        return call

    def input_shape(self, operation: str) -> Any:
        """Return botocore's description of an operation's input ("CreateNodegroup")."""
        return self._client.meta.service_model.operation_model(operation).input_shape

    def shape(self, name: str) -> Any:
        """Return botocore's description of a structure ("RequestLaunchTemplateData")."""
        return self._client.meta.service_model.shape_for(name)


def _translate(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(**arguments: Any) -> Any:
        try:
            return method(**arguments)
        except ClientError as error:
            raise build_error(error) from error
        except ParamValidationError as error:
            raise CloudError("ValidationException", str(error)) from error

    return call


def build_error(error: ClientError) -> CloudError:
    """Return our error for boto3's."""
    details = error.response.get("Error", {})
    code, message = details.get("Code", "Unknown"), details.get("Message") or str(error)
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400))
    if any(word in code for word in NOT_FOUND_WORDS) or code == "404":
        return NotFoundError(code, message)
    return CloudError(code, message, status)


class Clients:
    """One client a service and region, made when first needed."""

    def __init__(self, front: MotoFront) -> None:
        self._front = front
        self._made: dict[tuple[str, str], Client] = {}

    def get(self, service: str, call: Call, inputs: Values) -> Client:
        """Return the client for a resource: its own region, else the provider's."""
        return self.of_region(service, find_region(call.settings, inputs))

    def of_region(self, service: str, region: str) -> Client:
        """Return the client of a service in a region."""
        key = (service, region)
        if key not in self._made:
            self._made[key] = Client(service, region, self._front)
        return self._made[key]


def find_region(settings: Mapping[str, Any], inputs: Values) -> str:
    """Return the region in which a resource lives."""
    return str(inputs.get("region") or settings.get("region") or DEFAULT_REGION)
