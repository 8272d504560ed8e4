"""A cloud's refusal of a call, in its own code and words."""

from __future__ import annotations


class CloudError(Exception):
    """The cloud refuses a call: shown by the engine as the resource's error.

    Attributes:
        code: The cloud's own code ("ResourceInUseException", "RESOURCE_EXHAUSTED").
        message: The cloud's own words, as near as they are known.
        status: The HTTP status that the cloud's REST API answers.
    """

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status


class NotFoundError(CloudError):
    """The resource does not exist (any more)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message, 404)
