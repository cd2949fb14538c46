"""Events of an answer that is streamed (server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from .errors import ConnectionFailed, LociError

_EVENTS = ("sources", "delta", "citation", "done")


@dataclass(frozen=True)
class AnswerEvent:
    """One `sources`, then `delta` and `citation`, then `done` with the whole answer."""

    event: Literal["sources", "delta", "citation", "done"]
    data: dict[str, Any]


class AnswerReader:
    """Puts the lines of a stream together to events."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []
        self._is_done = False

    def read(self, line: str) -> Iterator[AnswerEvent]:
        """Raises LociError if the answer failed."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif line == "":
            event, data, self._name, self._data = self._name, "\n".join(self._data), "", []
            if event == "error":
                raise _failed(json.loads(data))
            # Later versions of the service may have others.
            if event in _EVENTS:
                self._is_done = event == "done"
                yield AnswerEvent(cast(Any, event), json.loads(data))

    def require_done(self) -> None:
        if not self._is_done:
            raise broken_off()


def broken_off() -> ConnectionFailed:
    return ConnectionFailed("The connection broke before the answer was finished. Ask again.", code="unreachable")


def _failed(body: dict[str, Any]) -> LociError:
    return LociError(body.get("detail", "The answer failed."), code=body.get("code", "internal"), body=body)
