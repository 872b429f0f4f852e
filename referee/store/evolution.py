"""How recorded events grow old: every tag with its version, and what lifts an old entry to the present one.

A row's topic is the event's tag, followed by `/2`, `/3`, … once its meaning has had to change shape. An entry written
under an earlier version is decoded as plain JSON, passed through `UPCASTERS` one version at a time, and then read as the
Struct of today. Upcasters are pure functions from the event's JSON object to the next version's, and stay for ever.
Fields that are only added, with a default, need none of this.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, get_args

import msgspec

from referee.events import Entry, Event

Upcaster: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: Final[dict[tuple[str, int], Upcaster]] = {}
"""`(tag, version)` to the function that makes an event of that version one of the next. So far no shape has changed."""

_decode = msgspec.json.Decoder(Entry).decode


class Undecodable(ValueError):
    """A row that holds no event known here."""


class TagsClash(TypeError):
    """The events of this program cannot be told apart, or not all their old versions can be read."""


def tags() -> dict[str, type]:
    """Every event by its tag. Raises TagsClash when two share one, or a tag cannot be a topic."""
    found: dict[str, type] = {}
    for event in get_args(Event):
        tag = event.__struct_config__.tag
        if not isinstance(tag, str) or not tag or "/" in tag:
            raise TagsClash(f"{event.__name__} needs a tag of its own, without a slash")
        if tag in found:
            raise TagsClash(f"{event.__name__} and {found[tag].__name__} share the tag {tag}")
        found[tag] = event
    return found


def versions(upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> dict[str, int]:
    """The present version of every tag. Raises TagsClash when a step between versions is missing."""
    found = dict.fromkeys(tags(), 1)
    for tag, version in sorted(upcasters):
        if found.get(tag) != version:
            raise TagsClash(f"the upcaster of {tag} from version {version} has no event to follow")
        found[tag] = version + 1
    return found


class Topics:
    """What rows are called, and how a row is read by what it is called. Made once: it checks tags and upcasters."""

    def __init__(self, upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> None:
        self._upcasters, self._now = upcasters, versions(upcasters)
        self.topics = {tag: tag if version == 1 else f"{tag}/{version}" for tag, version in self._now.items()}
        known = tags()
        self._present = {topic: known[tag] for tag, topic in self.topics.items()}
        self._events = {f"{tag}/{version}": known[tag] for tag, now in self._now.items() for version in range(1, now)}
        self._events |= known | self._present

    def decode(self, topic: str, state: bytes) -> Entry:
        """The entry in a row. Raises Undecodable."""
        try:
            entry = _decode(state) if topic in self._present else self._lifted(topic, state)
        except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise Undecodable(f"{topic}: {error}") from error
        if type(entry.event) is not self._events.get(topic):
            raise Undecodable(f"a row called {topic} holds {entry.event.__struct_config__.tag}")
        return entry

    def _lifted(self, topic: str, state: bytes) -> Entry:
        tag, _, number = topic.partition("/")
        entry = msgspec.json.decode(state)
        for version in range(int(number or 1), self._now[tag]):
            entry["event"] = self._upcasters[tag, version](entry["event"])
        return msgspec.convert(entry, Entry, strict=False)


TOPICS: Final = Topics()
