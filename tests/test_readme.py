"""The README is true: its walk is executed against a live server, its tables name what there is."""

import doctest
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from referee.store import Limits

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SHELL = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A server in a folder of its own, with the default settings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free: int = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    command = [sys.executable, "-m", "referee.cli", "serve", "--port", str(free)]
    environment["PYTHONPATH"] = str(ROOT)
    with (tmp_path / "log").open("w+") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 30
            while not answers(free):
                assert server.poll() is None, (tmp_path / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield free
        finally:
            server.terminate()
            server.wait(15)


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_the_walk_through_a_match(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL))
    assert "http://127.0.0.1:8000" in text
    walk = doctest.DocTestParser().get_doctest(text.replace(":8000", f":{port}"), {}, "README.md", None, 0)
    assert len(walk.examples) > 25
    outcome = doctest.DocTestRunner().run(walk)
    assert outcome.failed == 0, capsys.readouterr().out


def test_the_demonstration_prints_what_is_shown() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "referee.cli", "demo"],
        cwd=ROOT, capture_output=True, check=False, env=os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    printed = [line.strip() for line in done.stdout.decode().splitlines()]
    block = README.partition("## What the demonstration shows")[2].split("```")[1]
    shown = [line.strip() for line in block.splitlines() if line.strip()]
    assert len(shown) > 10
    places = [printed.index(line) for line in shown]
    assert places == sorted(places)


def test_settings_are_those_that_are_read() -> None:
    source = (ROOT / "referee" / "settings.py").read_text("utf-8")
    read = set(re.findall(r'environ\.get\("(REFEREE_\w+)"', source))
    told = dict(re.findall(r"^\| `(REFEREE_\w+)` \|.*\| (.*) \|$", README, re.MULTILINE))
    limits = {f"REFEREE_LOG_{name.upper()}": f"`{value:g}`" for name, value in msgspec.structs.asdict(Limits()).items()}
    assert told.keys() == read | limits.keys()
    assert {name: told[name] for name in limits} == limits


def test_every_path_on_the_map_is_there() -> None:
    block = README.partition("## Map of the code")[2].split("```")[1]
    paths = [line.split()[0] for line in block.strip().splitlines()]
    assert all((ROOT / path).exists() for path in paths)
    folders = {path.split("/")[0] for path in paths}
    assert folders == {"referee", "projections", "tests", "openapi", "docker"}


def test_there_is_one_command_to_run_and_one_to_test() -> None:
    first, second, *_ = SHELL
    for command in (first, second):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert "-c docker/constraints.txt" in command
    assert first.endswith(" && .venv/bin/referee demo")
    assert second.endswith(" && .venv/bin/python -m pytest")
