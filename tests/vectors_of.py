"""The vectors: expectations computed independently of this project (their README gives the formats)."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "vectors"


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of `tests/vectors/<name>.json`."""
    found: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text("utf-8"))["cases"]
    assert found, f"{name} holds no case"
    return found
