"""A stand-in for a Kubernetes API server: nodes and pods, patches, evictions and their budgets."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kubernetes import client

BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."


class KubeServer:
    """Keeps objects by path; an evicted pod is gone at once, as with a grace of nothing."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.pods: dict[str, dict[str, Any]] = {}
        self.evictions: list[dict[str, Any]] = []
        self.refused: dict[str, tuple[int, str]] = {}
        self.down = False
        kube = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer("GET", None)

            def do_PATCH(self) -> None:
                self._answer("PATCH", self._read())

            def do_POST(self) -> None:
                self._answer("POST", self._read())

            def do_PUT(self) -> None:
                self._answer("PUT", self._read())

            def _read(self) -> Any:
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def _answer(self, method: str, body: Any) -> None:
                status, answer = kube.answer(method, self.path.partition("?")[0], body)
                raw = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def api(self) -> client.ApiClient:
        """Return a client of this server."""
        configuration = client.Configuration()
        configuration.host = f"http://127.0.0.1:{self.server.server_address[1]}"
        configuration.retries = 0
        return client.ApiClient(configuration)

    def close(self) -> None:
        """End."""
        self.server.shutdown()
        self.server.server_close()

    def add_node(self, name: str, pool: str = "train", gpus: int = 8) -> None:
        self.nodes[name] = {
            "metadata": {"name": name, "labels": {"capacity-pool": pool}},
            "spec": {"providerID": f"aws:///us-east-1a/{name}"},
            "status": {
                "conditions": [{"type": "Ready", "status": "True"}],
                "allocatable": {"nvidia.com/gpu": str(gpus)},
            },
        }

    def add_pod(self, name: str, node: str = "", gpus: int = 8, **metadata: Any) -> None:
        requests = {"nvidia.com/gpu": str(gpus)}
        self.pods[f"ml/{name}"] = {
            "metadata": {
                "name": name,
                "namespace": "ml",
                "creationTimestamp": "2026-11-30T11:00:00Z",
                "labels": {"workload-class": "training"},
                "ownerReferences": [{"kind": "Job", "name": name, "controller": True}],
                **metadata,
            },
            "spec": {
                "containers": [{"resources": {"requests": requests}}],
                **({"nodeName": node} if node else {}),
            },
            "status": {
                "phase": "Running" if node else "Pending",
                "startTime": "2026-11-30T11:00:00Z",
                "conditions": [{"type": "Ready", "status": "True" if node else "False"}],
            },
        }

    def answer(self, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        """Return status and body."""
        if self.down:
            return 503, {"message": "down"}
        if method == "GET":
            found = {"/api/v1/nodes": self.nodes, "/api/v1/pods": self.pods}.get(path)
            if found is None:
                return 404, {"message": "no such path"}
            return 200, {"items": list(found.values()), "metadata": {}}
        if path.endswith("/eviction"):
            return self._evict(path.split("/")[4], path.split("/")[6], body)
        parts = path.split("/")
        shelf, key = (self.nodes, parts[-1]) if "/nodes/" in path else (self.pods, "")
        found = shelf.get(key or f"{parts[4]}/{parts[6]}")
        if found is None:
            return 404, {"message": "not found"}
        _merge(found, body)
        return 200, found

    def _evict(self, namespace: str, name: str, body: Any) -> tuple[int, dict[str, Any]]:
        key = f"{namespace}/{name}"
        if key not in self.pods:
            return 404, {"message": f'pods "{name}" not found'}
        if key in self.refused:
            status, words = self.refused[key]
            return status, {"message": words}
        self.evictions.append({"pod": key, **body.get("deleteOptions", {})})
        del self.pods[key]
        return 201, {"status": "Success"}


def _merge(found: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, value in patch.items():
        if isinstance(value, dict):
            _merge(found.setdefault(key, {}), value)
        elif value is None:
            found.pop(key, None)
        else:
            found[key] = value
