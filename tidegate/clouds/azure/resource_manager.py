"""Azure Resource Manager itself, for what no management SDK of Azure covers.

azure-mgmt-machinelearningservices 1.0.1 has no online endpoints, and an API version of 2020 for the
rest: its paths are asked for with the pipeline that all management SDKs are built on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from azure.core.exceptions import HttpResponseError
from azure.core.pipeline import policies
from azure.core.polling import LROPoller
from azure.core.rest import HttpRequest
from azure.mgmt.core import ARMPipelineClient
from azure.mgmt.core.exceptions import ARMErrorFormat
from azure.mgmt.core.policies import ARMHttpLoggingPolicy
from azure.mgmt.core.polling.arm_polling import ARMPolling

HOST = "https://management.azure.com"
FIRST_ERROR = 400


class ResourceManager:
    """Reads, changes and deletes resources by their ids."""

    def __init__(
        self, url: str, authentication: Any, polling_seconds: float, **limits: Any
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            url: Where Resource Manager answers.
            authentication: The policy that signs requests.
            polling_seconds: Between two looks at an operation.
            limits: Time-outs and retries, as for every SDK.
        """
        self._polling = polling_seconds
        steps = [
            policies.RequestIdPolicy(),
            policies.HeadersPolicy(),
            policies.UserAgentPolicy(sdk_moniker="tidegate"),
            policies.ProxyPolicy(),
            policies.ContentDecodePolicy(),
            policies.RetryPolicy(**limits),
            authentication,
            ARMHttpLoggingPolicy(),
        ]
        self._client: Any = ARMPipelineClient(base_url=url, policies=steps, **limits)

    def get(self, id: str, version: str) -> Mapping[str, Any]:
        """Return a resource.

        Raises:
            HttpResponseError: It is not there, or cannot be read.
        """
        found: Mapping[str, Any] = self._send("GET", id, version, None).http_response.json()
        return found

    def post(self, path: str, version: str) -> None:
        """Ask for an action that takes no body; whether it came through shows at the next look."""
        self._send("POST", path, version, None)

    def begin_patch(self, id: str, version: str, body: Mapping[str, Any]) -> Any:
        """Change what a body names; return what follows the operation."""
        return self._begin("PATCH", id, version, body)

    def begin_put(self, id: str, version: str, body: Mapping[str, Any]) -> Any:
        """Replace a resource by a body; return what follows the operation."""
        return self._begin("PUT", id, version, body)

    def begin_delete(self, id: str, version: str) -> Any:
        """Delete a resource; return what follows the operation."""
        return self._begin("DELETE", id, version, None)

    def _begin(self, method: str, id: str, version: str, body: Mapping[str, Any] | None) -> Any:
        started = self._send(method, id, version, body)
        polling = ARMPolling(self._polling)
        return LROPoller(self._client, started, lambda ended: ended, polling)

    def _send(self, method: str, id: str, version: str, body: Mapping[str, Any] | None) -> Any:
        request = HttpRequest(method, id, params={"api-version": version}, json=body)
        request.url = self._client.format_url(request.url)
        answer = self._client.send_request(request, _return_pipeline_response=True)
        if answer.http_response.status_code >= FIRST_ERROR:
            raise HttpResponseError(response=answer.http_response, error_format=ARMErrorFormat)
        return answer
