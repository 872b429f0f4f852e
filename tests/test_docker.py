"""The container files: valid, and true to what the command line and the settings know. No engine is needed."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from referee.cli import main

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
CONSTRAINTS = ROOT / "docker" / "constraints.txt"
COMPOSE = ROOT / "docker" / "compose.yaml"
LINES = DOCKERFILE.read_text("utf-8").replace("\\\n", "").splitlines()
STAGES = [place for place, line in enumerate(LINES) if line.startswith("FROM ")]
FINAL = LINES[STAGES[-1] :]
SERVICES: dict[str, dict[str, Any]] = YAML(typ="safe").load(COMPOSE)["services"]
OURS = {name: service for name, service in SERVICES.items() if name != "db"}


def run(tool: str, *words: str | Path) -> None:
    done = subprocess.run([Path(sys.executable).with_name(tool), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def last(instruction: str) -> str:
    return [line.partition(" ")[2] for line in FINAL if line.startswith(instruction + " ")][-1]


def accepts(words: list[str]) -> None:
    """The command line takes these words: the command is there and so are its options. Nothing is run."""
    assert words[0] == "referee"
    with click.Context(main) as context:
        name, command, rest = main.resolve_command(context, words[1:])
        assert command
        command.make_context(name, rest, parent=context)


def test_dockerfile_is_clean() -> None:
    run("hadolint", DOCKERFILE)


def test_compose_fits_its_schema() -> None:
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


def test_the_image_runs_as_nobody_special() -> None:
    user = last("USER")
    assert user.isdecimal()
    assert int(user) > 0
    assert f"useradd --uid {user} " in "\n".join(FINAL)


def test_the_image_holds_no_tools_and_no_secrets() -> None:
    assert len(STAGES) == 2
    assert not any(word in line for line in FINAL for word in ("pip install", "apt-get", "gcc"))
    assert not any(
        re.match(r"(ARG|ENV)\b", line) and re.search("SECRET|PASSWORD|TOKEN", line, re.IGNORECASE) for line in LINES
    )


def test_the_base_is_named_once() -> None:
    assert LINES[0].startswith("ARG PYTHON=python:3.")
    assert all(LINES[place].startswith("FROM ${PYTHON}") for place in STAGES)


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    sources = [word for line in LINES if re.match(r"COPY (?!--)", line) for word in line.split()[1:-1]]
    assert sorted(sources) == sorted(allowed)
    assert all((ROOT / source).exists() for source in sources)


def test_versions_are_those_of_the_constraints() -> None:
    assert "ENV PIP_CONSTRAINT=/src/docker/constraints.txt" in LINES


def test_constraints_name_every_requirement_once_and_no_address() -> None:
    lines = [line for line in CONSTRAINTS.read_text("utf-8").splitlines() if not line.startswith("#")]
    exact = [re.fullmatch(r"([a-z0-9-]+)==[\w.]+( ; .+)?", line) for line in lines]
    assert all(exact), [line for line, found in zip(lines, exact, strict=True) if not found]
    pinned = [found[1] for found in exact if found]
    assert len(set(pinned)) == len(pinned)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["dev"]]
    asked += project["build-system"]["requires"]
    assert {re.split(r"[\[<>=]", word)[0] for word in asked} <= set(pinned)


def test_health_check_is_python() -> None:
    words = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    compile(words[2], "HEALTHCHECK", "exec")
    assert "/healthz" in words[2]


@pytest.mark.parametrize(
    "words", [json.loads(last("CMD")), *(service["command"] for service in OURS.values())], ids=" ".join
)
def test_every_command_is_one_that_there_is(words: list[str]) -> None:
    accepts(words)


@pytest.mark.parametrize("words", [["referee", "serve", "--nonsense"], ["referee", "fly"]], ids=" ".join)
def test_a_command_that_is_not_there_would_be_found(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        accepts(words)


def test_settings_are_those_that_are_read() -> None:
    source = (ROOT / "referee" / "settings.py").read_text("utf-8")
    read = set(re.findall(r'environ\.get\("(REFEREE_\w+)"', source))
    given = {name for service in OURS.values() for name in service["environment"]}
    given |= set(re.findall(r"\bREFEREE_\w+(?==)", "\n".join(LINES)))
    assert given
    assert given <= read


def test_compose_holds_no_secret_and_asks_for_each() -> None:
    for service in SERVICES.values():
        for name, value in service["environment"].items():
            if re.search("SECRET|PASSWORD", name):
                assert re.fullmatch(r"\$\{\w+:\?.*\}", value)


def test_nothing_starts_before_what_it_needs() -> None:
    def needs(name: str) -> dict[str, str]:
        return {other: need["condition"] for other, need in SERVICES[name].get("depends_on", {}).items()}

    assert needs("migrate") == {"db": "service_healthy"}
    assert needs("api") == {"migrate": "service_completed_successfully"}
    assert needs("project") == {"migrate": "service_completed_successfully"}
    assert SERVICES["db"]["healthcheck"]["test"][1] == "pg_isready"
