"""Calls that travel together: while one group is on its way, the next one gathers."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from referee.store.log import Unavailable

A = TypeVar("A")
R = TypeVar("R")
Waiting: TypeAlias = tuple[A, asyncio.Future[R]]


class Grouped(Generic[A, R]):
    """Hands what is asked to `work` in groups of at most `group`, one group at a time, in one task of this event loop.

    `work` answers through the futures, and gives back what has to wait for the next group. When `queue` are waiting the next
    is turned away with Unavailable, and so are those that are asked after `close`.
    """

    def __init__(
        self, work: Callable[[list[Waiting[A, R]]], Awaitable[Sequence[Waiting[A, R]]]], group: int, queue: int
    ) -> None:
        self._work, self._group, self._queue = work, group, queue
        self._waiting: deque[Waiting[A, R]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def ask(self, asked: A) -> R:
        """The answer to one call. Raises Unavailable, or what `work` answers with."""
        if self._closed:
            raise Unavailable("the event log is closed")
        if len(self._waiting) >= self._queue:
            raise Unavailable("too many commands are waiting")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return await future

    async def close(self) -> None:
        """Finish what was asked; take no more."""
        self._closed = True
        if self._task:
            await self._task

    async def _run(self) -> None:
        while self._waiting:
            group: list[Waiting[A, R]] = []
            while self._waiting and len(group) < self._group:
                asked = self._waiting.popleft()
                if not asked[1].done():
                    group.append(asked)
            try:
                self._waiting.extendleft(reversed(await self._work(group)))
            except Exception as error:
                # whatever went wrong, nobody is left waiting
                for _, future in group:
                    if not future.done():
                        future.set_exception(error)
