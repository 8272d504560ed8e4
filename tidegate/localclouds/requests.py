"""How the faces take HTTP requests: keep-alive, and no line on the log for each."""

from __future__ import annotations

from typing import Any

from moto.moto_server.werkzeug_app import MotoRequestHandler


class QuietRequests(MotoRequestHandler):
    """Moto's handler (S3 metadata keeps its underscores), with persistent connections."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing: the engine's own output tells what was called."""
