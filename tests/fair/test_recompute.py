"""Every shuffle of the golden records, recomputed by a script that shares nothing with the project."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee import record
from tests.fair.recompute import recompute
from tests.records.doctor import doctored, event_of, golden
from tests.records.make import PLANS

SCRIPT = Path(__file__).with_name("recompute.py")
SHUFFLED = [plan.name for plan in PLANS if plan.way != "told"]


def test_the_script_imports_nothing_of_the_project() -> None:
    tree = ast.parse(SCRIPT.read_text("utf-8"))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    taken = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any(node.level for node in taken)
    imported |= {str(node.module).partition(".")[0] for node in taken}
    assert {"hashlib", "json"} < imported < sys.stdlib_module_names


@pytest.mark.parametrize("name", SHUFFLED)
def test_every_shuffle_follows(name: str) -> None:
    document = json.loads(golden(name))
    assert recompute(document) == [True] * len(document["deals"])


def test_nothing_is_said_of_real_cards() -> None:
    assert set(recompute(json.loads(golden("tabu-3-told")))) == {None}


def cards_swapped(document: Any) -> None:
    part = event_of(document, "CardsDealt", 0)["layout"]
    cards = next(part[name] for name in ("stock", "reserve", "sabo") if name in part)
    cards = cards[0] if isinstance(cards[0], list) else cards
    cards[-1], cards[-2] = cards[-2], cards[-1]


def another_word(document: Any) -> None:
    words = event_of(document, "CardsDealt", 0)["words"]
    words[0] += "x"


def another_seed(document: Any) -> None:
    event_of(document, "SeedRevealed", 0)["seed"] = "0" * 64


@pytest.mark.parametrize("name", ["tablanet-2-one-deal", "tabu-2-one-deal", "sabo-2-one-deal"])
@pytest.mark.parametrize("change", [cards_swapped, another_word, another_seed])
def test_a_doctored_record_does_not_follow(name: str, change: Any, tmp_path: Path) -> None:
    data = doctored(golden(name), change)
    assert recompute(json.loads(data))[0] is False
    assert not record.check(data).legal
    file = tmp_path / "record.json"
    file.write_bytes(data)
    done = subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "deal 1: DOES NOT FOLLOW\n")


@pytest.mark.parametrize("part", ["renewed", "reserve_after"])
def test_a_later_shuffle_counts(part: str) -> None:
    document = json.loads(golden("tabu-2-classic-150"))
    for entry in document["deals"][0]:
        if order := entry["event"].get("effects", {}).get(part):
            order = order[0] if part == "renewed" else order
            order[-1], order[-2] = order[-2], order[-1]
            break
    assert recompute(document)[0] is False
