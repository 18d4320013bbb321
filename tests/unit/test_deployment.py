"""The files that deploy tabwright: compose files and the manifests for Kubernetes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tabwright.cli.command_line import parse
from tabwright.cli.layers import layers
from tabwright.config.loader import settings_from
from tabwright.plugins.fleet.settings import FLEET_SETTINGS

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "compose.yaml", ROOT / "compose.fleet.yaml")
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))

Object = dict[str, object]


def read_all(paths) -> list[Object]:
    return [one for path in paths for one in yaml.safe_load_all(path.read_text())]


OBJECTS = [one for one in read_all(MANIFESTS) if one["kind"] != "Kustomization"]
WORKLOADS = [one for one in OBJECTS if one["kind"] in {"Deployment", "StatefulSet"}]


def named(kind: str) -> dict[str, Object]:
    return {one["metadata"]["name"]: one for one in OBJECTS if one["kind"] == kind}


def containers(workload: Object) -> list[Object]:
    return workload["spec"]["template"]["spec"]["containers"]


def started() -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yield the name, arguments and variables of each tabwright container."""
    for path in COMPOSE:
        for name, service in yaml.safe_load(path.read_text())["services"].items():
            if "build" in service:
                command = service.get("command", ["serve"])
                yield f"{path.name} {name}", command, service.get("environment", {})
    unit = (ROOT / "deploy" / "systemd" / "tabwright.service").read_text()
    (program,) = (line for line in unit.splitlines() if line.startswith("ExecStart="))
    yield "tabwright.service", program.split()[1:], {}
    for workload in WORKLOADS:
        for one in containers(workload):
            if one["image"] == "tabwright":
                shared = [source["configMapRef"]["name"] for source in one["envFrom"]]
                variables = {key: text for name in shared for key, text in config(name).items()}
                own = {variable["name"]: "name" for variable in one["env"]}
                yield workload["metadata"]["name"], one["args"], {**variables, **own}


def config(name: str) -> dict[str, str]:
    return named("ConfigMap")[name]["data"]


@pytest.mark.parametrize(
    ("command", "variables"), [pytest.param(*rest, id=name) for name, *rest in started()]
)
def test_container_command_line_and_variables_are_valid(command, variables) -> None:
    options = parse(command)
    settings = settings_from(*layers(options, variables))
    if "TABWRIGHT_FLEET__REDIS" in variables:
        assert FLEET_SETTINGS.of(settings).redis == variables["TABWRIGHT_FLEET__REDIS"]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one["metadata"]["name"])
def test_probe_ports_are_declared_by_the_container(workload) -> None:
    for one in containers(workload):
        ports = {port["name"] for port in one["ports"]}
        probes = [probe for key, probe in one.items() if key.endswith("Probe")]
        asked = {probe["httpGet"]["port"] for probe in probes if "httpGet" in probe}
        assert probes
        assert asked <= ports


def test_pods_disable_service_links_that_would_set_unknown_variables() -> None:
    pods = [
        one["spec"]["template"]["spec"]
        for one in WORKLOADS
        if any(container["image"] == "tabwright" for container in containers(one))
    ]
    assert [pod["enableServiceLinks"] for pod in pods] == [False] * len(pods)
    assert pods


def test_services_policies_and_scalers_match_existing_workloads() -> None:
    pods = [one["spec"]["template"]["metadata"]["labels"] for one in WORKLOADS]

    def is_there(selector: dict[str, str]) -> bool:
        return any(selector.items() <= labels.items() for labels in pods)

    for service in named("Service").values():
        assert is_there(service["spec"]["selector"])
    for policy in named("NetworkPolicy").values():
        assert is_there(policy["spec"]["podSelector"]["matchLabels"])
    for budget in named("PodDisruptionBudget").values():
        assert is_there(budget["spec"]["selector"]["matchLabels"])
    workloads = {(one["kind"], one["metadata"]["name"]) for one in WORKLOADS}
    scaled = [one["spec"]["scaleTargetRef"] for one in named("HorizontalPodAutoscaler").values()]
    assert {(one["kind"], one["name"]) for one in scaled} <= workloads
    assert scaled


def test_configured_redis_url_matches_the_redis_service() -> None:
    (service,) = (one for name, one in named("Service").items() if name.endswith("redis"))
    port = service["spec"]["ports"][0]["port"]
    assert config("tabwright")["TABWRIGHT_FLEET__REDIS"] == (
        f"redis://{service['metadata']['name']}:{port}"
    )


def test_kustomization_lists_every_manifest() -> None:
    (chosen,) = (one for one in read_all(MANIFESTS) if one["kind"] == "Kustomization")
    files = {path.name for path in MANIFESTS} - {"kustomization.yaml"}
    assert set(chosen["resources"]) == files
