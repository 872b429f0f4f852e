"""One connection to PostgreSQL that is made when needed and made again when it breaks."""

import asyncio
import logging
from typing import Any

import psycopg

from referee.store.log import Limits, Unavailable
from referee.store.postgres_schema import STEPS
from referee.store.postgres_sql import FIT

log = logging.getLogger(__name__)


class Lost(Exception):
    """The connection broke, or no answer came in time, after a statement was sent: it may have been carried out."""


class Line:
    """A connection for one task at a time; every statement is a transaction of its own."""

    def __init__(self, url: str, limits: Limits) -> None:
        self._url, self._limits = url, limits
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._cursor: psycopg.AsyncCursor[Any] | None = None

    async def execute(self, query: str, *values: Any) -> list[Any]:
        """All rows. Raises Unavailable if nothing was sent, Lost if that is not known, psycopg.Error if it was refused."""
        cursor = await self._connected()
        try:
            async with asyncio.timeout(self._limits.statement_seconds + 1):
                await cursor.execute(query, values, prepare=True)
                return await cursor.fetchall()
        except TimeoutError as error:
            await self._drop()
            raise Lost("no answer in time") from error
        except psycopg.OperationalError as error:
            if not cursor.connection.closed:
                raise
            await self._drop()
            raise Lost(str(error)) from error
        except BaseException:
            if cursor.connection.closed:
                await self._drop()
            raise

    async def read(self, query: str, *values: Any) -> list[Any]:
        """As `execute`, for what may be asked twice: once more on a new connection if the old one broke."""
        try:
            return await self.execute(query, *values)
        except Lost:
            return await self.execute(query, *values)

    @property
    def up(self) -> bool:
        """Whether there is a connection."""
        return self._cursor is not None and not self._cursor.connection.closed

    async def close(self) -> None:
        """Let go of the connection."""
        await self._drop()

    async def _connected(self) -> psycopg.AsyncCursor[Any]:
        if self._cursor and not self._cursor.connection.closed:
            return self._cursor
        await self._drop()
        try:
            async with asyncio.timeout(self._limits.connect_seconds + 1):
                connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
                self._connection, self._cursor = connection, connection.cursor(binary=True)
                await self._cursor.execute(FIT)
                (version, ahead), *_ = await self._cursor.fetchall()
        except (psycopg.Error, TimeoutError) as error:
            await self._drop()
            log.warning("no connection to the event log: %s", str(error).partition("\n")[0])
            if isinstance(error, psycopg.errors.UndefinedTable):
                raise Unavailable("the event log's tables are not there: run `referee migrate`", 30) from error
            raise Unavailable("the event log does not answer") from error
        if version != len(STEPS) or not ahead:
            await self._drop()
            log.error("the event log has tables of version %s, or was restored: run `referee migrate`", version)
            raise Unavailable("the event log's tables do not fit this program: run `referee migrate`", 30)
        return self._cursor

    async def _drop(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection:
            await connection.close()
