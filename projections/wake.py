"""A wake-up for those who follow the log: a hint that there is something new, never more than a hint.

It is given after a commit, on a connection of its own: a notification inside an appending transaction would make all
commits of the database wait for each other. Whoever misses it looks a little later anyway.
"""

import threading
import time
from typing import Any, Final

import psycopg

from projections.tables import listen
from referee.store import sqlite_path

CHANNEL: Final = "referee_log"
RETRY_SECONDS: Final = 5.0
APART_SECONDS: Final = 0.01
"""At least so long lies between two notifications: one for each command would take time from the commands."""


class Bell:
    """Rung by those who have appended, heard by those who follow: in this process, and on PostgreSQL in every other."""

    def __init__(self, database: str) -> None:
        self._database, self._shared = database, sqlite_path(database) is None
        self._here = threading.Event()
        self._ear: psycopg.Connection[Any] | None = None
        self._rung = threading.Event()
        self._ringer: threading.Thread | None = None
        self._closed = False

    def ring(self) -> None:
        """Say that something was appended; returns at once."""
        if not self._shared:
            self._here.set()
            return
        if self._ringer is None:
            self._ringer = threading.Thread(target=self._ring_on, name="bell", daemon=True)
            self._ringer.start()
        self._rung.set()

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        """Wait for it to ring, at most so long; whether it did."""
        if not self._shared:
            rung = self._here.wait(seconds)
            self._here.clear()
            return rung
        try:
            if self._ear is None:
                self._ear = listen(self._database, CHANNEL)
            return bool(self._ear and list(self._ear.notifies(timeout=seconds, stop_after=1)))
        except psycopg.Error:
            self._deafen()
            stop.wait(seconds)
            return False

    def close(self) -> None:
        """Let go of the database, and of whoever waits."""
        self._closed = True
        self._here.set()
        self._rung.set()
        self._deafen()

    def _deafen(self) -> None:
        if self._ear is not None:
            self._ear.close()
            self._ear = None

    def _ring_on(self) -> None:
        """Pass every ring on, many at once where they come faster than the database answers."""
        voice: psycopg.Connection[Any] | None = None
        while self._rung.wait() and not self._closed:
            self._rung.clear()
            try:
                if voice is None:
                    voice = psycopg.connect(self._database, autocommit=True, connect_timeout=5)
                voice.execute("SELECT pg_notify(%s, '')", (CHANNEL,))
                time.sleep(APART_SECONDS)
            except psycopg.Error:
                if voice is not None:
                    voice.close()
                voice = None
                time.sleep(RETRY_SECONDS)
        if voice is not None:
            voice.close()
