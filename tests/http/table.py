"""A table with phones: how the tests talk to the API."""

from typing import Any
from uuid import uuid4

from httpx import Client, Response


class Phone:
    """A client that holds one token of one match."""

    def __init__(self, client: Client, match: str, token: str | None) -> None:
        self.client, self.match, self.token = client, match, token

    def get(self, path: str = "", **headers: str) -> Response:
        """GET below the match."""
        return self.client.get(f"/v1/matches/{self.match}{path}", headers=self._headers(headers))

    def post(self, path: str, body: Any, **headers: str) -> Response:
        """POST below the match."""
        return self.client.post(f"/v1/matches/{self.match}{path}", json=body, headers=self._headers(headers))

    def move(self, number: int, seat: int, move: dict[str, Any], **headers: str) -> Response:
        """Make a move in a deal."""
        return self.post(f"/deals/{number}/moves", {"seat": seat, "move": move}, **headers)

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        names = {name.replace("_", "-"): value for name, value in more.items()}
        return ({"Authorization": f"Bearer {self.token}"} if self.token else {}) | names


class Opened:
    """A match and a phone for each of its tokens."""

    def __init__(self, client: Client, answer: dict[str, Any]) -> None:
        self.id: str = answer["match"]["id"]
        self.answer, tokens = answer, answer["tokens"]
        self.arbiter = Phone(client, self.id, tokens["arbiter"])
        self.scorekeeper = Phone(client, self.id, tokens["scorekeeper"])
        self.spectator = Phone(client, self.id, tokens["spectator"])
        self.seats = [Phone(client, self.id, token) for token in tokens["seats"]]
        self.nobody = Phone(client, self.id, None)


class Table:
    """The served app, in this process or in another."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def ask(self, body: dict[str, Any], **headers: str) -> Response:
        """POST /v1/matches as it is."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post("/v1/matches", json=body, headers=names)

    def take_in(self, data: bytes, path: str = "/v1/records", **headers: str) -> Response:
        """POST a match record."""
        names = {"Content-Type": "application/vnd.referee.match+json"}
        names |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, content=data, headers=names)

    def open(self, game: str = "tablanet", players: int = 2, dealer: int = 0, **house_rules: Any) -> Opened:
        """Open a match; Tablanet's ace counts 1 unless said."""
        rules = {"ace_value": 1, **house_rules} if game == "tablanet" else house_rules
        body = {
            "game": game,
            "seats": [{"name": f"Player {seat}"} for seat in range(players)],
            "house_rules": rules,
            "first_dealer": {"seat": dealer},
        }
        reply = self.ask(body, idempotency_key=str(uuid4()))
        assert reply.status_code == 201, reply.text
        return Opened(self.client, reply.json())
