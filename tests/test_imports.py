"""Which part may import which: the contracts in pyproject.toml hold, and each of them can break."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LINT, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


def test_the_contracts_hold() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("referee/rules/target.py", "import time", "no clock"),
        ("referee/match.py", "import referee.api.schemas", "each layer"),
        ("referee/deal.py", "import referee.store.log", "each layer"),
        ("referee/gossip.py", "", "each layer"),
        ("referee/errors.py", "import litestar", "no web"),
        ("referee/store/codec.py", "import referee.match", "the store knows"),
        ("referee/service.py", "import referee.store.sqlite", "the service knows"),
        ("projections/totals.py", "import referee.rules.cards", "projections import"),
    ],
)
def test_a_forbidden_import_is_found(tmp_path: Path, module: str, line: str, contract: str) -> None:
    for name in ("referee", "projections"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as file:
        file.write(f"\n{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [said for said in done.stdout.splitlines() if " BROKEN" in said]
    assert len(broken) == 1
    assert contract in broken[0]
