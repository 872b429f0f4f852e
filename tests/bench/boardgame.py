"""boardgame.io's server in memory, where npm can fetch it: a game whose only move adds a card to a list."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.stage import say

SERVER = """
const { Server, Origins } = require('boardgame.io/server');
const game = { name: 'table', setup: () => ({ cards: [] }), moves: { play: ({ G }, card) => { G.cards.push(card); } } };
Server({ games: [game], origins: [Origins.LOCALHOST] }).run({ port: PORT, callback: () => console.log('ready') });
"""
CLIENT = """
const { io } = require('socket.io-client');
const [url, connections, seconds] = [process.argv[2], +process.argv[3], +process.argv[4]];
let done = 0, running = true;
async function table(_, number) {
  // a match that is not there yet is made when somebody joins it
  const id = 'match' + process.pid + '.' + number, socket = io(url + '/table', { transports: ['websocket'], forceNew: true });
  await new Promise((ok) => socket.on('connect', ok));
  let state = 0;
  const action = { type: 'MAKE_MOVE', payload: { type: 'play', args: ['10S'], playerID: '0' } };
  const move = () => socket.emit('update', action, state, id, '0');
  socket.on('sync', (_, sync) => { state = sync.state._stateID; move(); });
  socket.on('update', (_, next) => { done++; state = next._stateID; if (running) move(); });
  socket.emit('sync', id, '0', undefined, 2);
}
(async () => {
  await Promise.all(Array.from({ length: connections }, table));
  const first = done, start = process.hrtime.bigint();
  await new Promise((ok) => setTimeout(ok, seconds * 1000));
  console.log((done - first) / (Number(process.hrtime.bigint() - start) / 1e9));
  process.exit(0);
})();
"""


@contextmanager
def serving(folder: Path) -> Iterator[str | None]:
    """Its address, or None where it cannot be had."""
    if shutil.which("npm") is None:
        say("no npm: boardgame.io is left out")
        yield None
        return
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "boardgame.io@0.50", "socket.io-client@4"]
    place = folder / "boardgame"
    place.mkdir()
    (place / "package.json").write_text(json.dumps({"name": "bench", "private": True}))
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=180)
    if done.returncode:
        say(f"npm cannot fetch boardgame.io: {done.stderr.strip()[:200]}")
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (place / "server.js").write_text(SERVER.replace("PORT", str(port)))
    (place / "client.js").write_text(CLIENT)
    process = subprocess.Popen(["node", "server.js"], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    try:
        yield f"http://localhost:{port}"
    finally:
        process.kill()
        process.wait()


def rate(url: str, folder: Path, connections: int, seconds: int) -> float:
    """Moves per second of so many tables, each with a socket of its own, in one Node process."""
    command = ["node", "client.js", url, str(connections), str(seconds)]
    done = subprocess.run(command, cwd=folder / "boardgame", capture_output=True, text=True, timeout=60, check=False)
    if done.returncode or not done.stdout.strip():
        raise RuntimeError(done.stderr)
    return float(done.stdout.strip().splitlines()[-1])
