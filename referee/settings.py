"""Settings, all from the environment: every one has a default that is safe on a table's own machine."""

import contextlib
import os
import secrets
from pathlib import Path

import msgspec

from referee.store import Limits, sqlite_path

SHORTEST_TOKEN = 16


class Settings(msgspec.Struct, frozen=True):
    """Where the service runs. `database` as in `referee.store`; `secret` signs tokens; `hosts` are accepted Host names;
    `limits` are the log's. `operator` is the token that lists over all matches, rebuilds and metrics answer to; without
    one nobody gets them."""

    database: str
    secret: bytes
    hosts: frozenset[str]
    project: bool
    max_body: int = 256 * 1024
    limits: Limits = Limits()
    operator: str | None = None


class BadSetting(ValueError):
    """A setting that is no number in its range, or a token too short to be anything but guessed."""


class MissingSecret(ValueError):
    """PostgreSQL without REFEREE_SECRET: several processes must sign with the same one."""


def load() -> Settings:
    """Settings from REFEREE_DATABASE, REFEREE_SECRET, REFEREE_HOSTS (comma-separated), REFEREE_PROJECT (0 or 1) and
    REFEREE_OPERATOR_TOKEN (at least 16 characters).

    The log's limits are REFEREE_LOG_POOL, _QUEUE, _GROUP, _CONNECT_SECONDS, _STATEMENT_SECONDS, _LOCK_SECONDS and
    _IDLE_SECONDS (see referee.store.Limits). With an SQLite file and no secret one is made once and kept beside the file,
    readable by its owner only. Raises MissingSecret, BadSetting or referee.store.BadAddress.
    """
    database = os.environ.get("REFEREE_DATABASE", "sqlite:referee.db")
    hosts = os.environ.get("REFEREE_HOSTS", "localhost,127.0.0.1,[::1]")
    return Settings(
        database,
        _secret(database),
        frozenset(host.strip().lower() for host in hosts.split(",")),
        os.environ.get("REFEREE_PROJECT", "1") != "0",
        limits=_limits(),
        operator=_operator(),
    )


def _limits() -> Limits:
    names = {name: f"REFEREE_LOG_{name.upper()}" for name in Limits.__struct_fields__}
    try:
        found = msgspec.convert(
            {n: v for n, name in names.items() if (v := os.environ.get(name))}, Limits, strict=False
        )
    except msgspec.ValidationError as error:
        raise BadSetting(f"REFEREE_LOG_…: {error}") from error
    if any(getattr(found, name) <= 0 for name in names):
        raise BadSetting("REFEREE_LOG_…: every limit is more than 0")
    return found


def _operator() -> str | None:
    given = os.environ.get("REFEREE_OPERATOR_TOKEN")
    if given and len(given) < SHORTEST_TOKEN:
        raise BadSetting(f"REFEREE_OPERATOR_TOKEN needs at least {SHORTEST_TOKEN} characters")
    return given or None


def _secret(database: str) -> bytes:
    if given := os.environ.get("REFEREE_SECRET"):
        return given.encode()
    path = sqlite_path(database)
    if path is None:
        raise MissingSecret(
            "set REFEREE_SECRET: all processes on one PostgreSQL database must sign with the same secret"
        )
    return _kept_secret(path.with_name(path.name + ".secret"))


def _kept_secret(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # written whole before it gets its name, so that another process never reads half a secret
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_bytes()
