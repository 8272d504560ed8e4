"""Messages to people, by a webhook whose URL is a secret and stands in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping

import httpx

from tidegate.vocabulary.problems import Unavailable, refuse

VARIABLE = "TIDEGATE_WEBHOOK_URL"
TIMEOUT_SECONDS = 5.0


class Webhook:
    """Posts each message as JSON; `text` is a sentence, as chat programs take it."""

    def __init__(self, url: str, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._url = url
        self._timeout_seconds = timeout_seconds

    def tell(self, message: Mapping[str, str]) -> None:
        """Send a message.

        Raises:
            Unavailable: It was not taken; the text does not hold the URL.
        """
        body = {**message, "text": render_text(message)}
        try:
            answer = httpx.post(self._url, json=body, timeout=self._timeout_seconds)
        except httpx.HTTPError as error:
            raise Unavailable(f"the webhook does not answer: {type(error).__name__}") from None
        if not answer.is_success:
            raise Unavailable(f"the webhook answers {answer.status_code}")


def render_text(message: Mapping[str, str]) -> str:
    """Return a message as a sentence."""
    owner = message["owner"] or "nobody is named as owner"
    subject = f"{message['id']} of {message['stack']} ({owner})"
    if message["what"] == "reap-warn":
        _, _, name = message["id"].partition("/")
        how = f"to keep it: tidegate controller snooze {name} --owner YOU --hours 4"
        return f"{subject} ends at {message['endsAt']}: {message['reason']}; {how}"
    if message["what"] == "reap-stop":
        return f"{subject} ends now: {message['reason']}"
    return f"{subject} goes on: {message['reason']}"


def find_webhook() -> Webhook | None:
    """Return the webhook of the environment; None without one.

    Raises:
        InvalidInput: What stands there is no URL; it is not shown, for it may be a secret.
    """
    url = os.environ.get(VARIABLE, "")
    if not url:
        return None
    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        expected = "an https URL, or one of this machine"
        raise refuse("controller", VARIABLE, None, "is no URL that messages go to", expected)
    return Webhook(url)
