"""Machine and accelerator types as `google.cloud.compute_v1` lists them."""

from __future__ import annotations

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.compute_face import ZONE, name_of, render_page
from tidegate.localclouds.gcp.errors import missing
from tidegate.localclouds.routes import Answer, Asked, Route


class MachineFace:
    """The routes of what Compute Engine has on offer."""

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        return [
            Route("GET", f"{ZONE}/machineTypes", self._list_machine_types),
            Route("GET", f"{ZONE}/machineTypes/{{machine}}", self._get_machine_type),
            Route("GET", f"{ZONE}/acceleratorTypes", self._list_accelerator_types),
        ]

    def _list_machine_types(self, asked: Asked, project: str, zone: str) -> Answer:
        found = [_machine_type(project, zone, name) for name in machines.machine_names()]
        return Answer(render_page(asked, found))

    def _get_machine_type(self, asked: Asked, project: str, zone: str, machine: str) -> Answer:
        if machines.find_machine(machine) is None:
            raise missing(f"The resource '{name_of(asked)}' was not found")
        return Answer(_machine_type(project, zone, machine))

    def _list_accelerator_types(self, asked: Asked, project: str, zone: str) -> Answer:
        url = f"{names.COMPUTE_URL}/projects/{project}/zones/{zone}"
        found = [
            {
                "kind": "compute#acceleratorType",
                "name": name,
                "description": words,
                "selfLink": f"{url}/acceleratorTypes/{name}",
                "zone": url,
            }
            for name, words in sorted(machines.accelerator_types().items())
        ]
        return Answer(render_page(asked, found))


def _machine_type(project: str, zone: str, name: str) -> Body:
    url = f"{names.COMPUTE_URL}/projects/{project}/zones/{zone}"
    cpus, memory = machines.size_of(name)
    machine = machines.find_machine(name)
    body: Body = {
        "kind": "compute#machineType",
        "id": names.number_of(name),
        "name": name,
        "zone": zone,
        "selfLink": f"{url}/machineTypes/{name}",
    }
    if cpus:
        body |= {"guestCpus": cpus, "memoryMb": memory}
    if machine and machine.accelerator and machine.count:
        body["accelerators"] = [
            {"guestAcceleratorType": machine.accelerator, "guestAcceleratorCount": machine.count}
        ]
    return body
