"""A process that writes as nobody should: transactions held open, rolled back, and the log's own writer beside."""

import asyncio
import random
import sys
import threading
import time
from uuid import UUID, uuid4

import psycopg

from referee.store import chain, open_log
from referee.store import postgres_sql as sql
from tests.store.entries import batch

WRITERS, STREAMS, TIMES = 8, 5, 60


def write(url: str, seed: int) -> None:
    """One writer: its own streams, 0 to 8 ms between the statement and the end of its transaction, 5 % rolled back."""
    dice = random.Random(seed)
    heads: dict[UUID, chain.Head] = {uuid4(): chain.Head(0, chain.START) for _ in range(STREAMS)}
    with psycopg.connect(url) as connection:
        for _ in range(TIMES):
            stream = dice.choice(list(heads))
            part = batch(stream, heads[stream].version, dice.randint(1, 3))
            rows = chain.rows([part], {stream: heads[stream].digest})
            connection.execute(sql.APPEND, sql.arguments([sql.Write(rows, [part], None, [], [])]))
            time.sleep(dice.random() * 0.008)
            if dice.random() < 0.05:
                connection.rollback()
                continue
            connection.commit()
            heads[stream] = chain.Head(rows[-1].version, rows[-1].digest)


async def write_in_groups(url: str) -> None:
    """The log's own writer."""
    log = open_log(url)

    async def one() -> None:
        stream = uuid4()
        for after in range(TIMES):
            await log.append([batch(stream, after)])

    await asyncio.gather(*(one() for _ in range(STREAMS)))
    await log.close()


if __name__ == "__main__":
    address, first = sys.argv[1], int(sys.argv[2])
    threads = [threading.Thread(target=write, args=(address, first + n)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    asyncio.run(write_in_groups(address))
    for thread in threads:
        thread.join()
