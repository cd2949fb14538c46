"""Events of an answer that is streamed (server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
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
    """Puts the pieces of a stream together to events. Lines end with CR LF, CR or LF, and with nothing else: JSON may contain
    what Unicode has for line ends besides.
    """

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._is_after_cr = False
        self._name = ""
        self._data: list[str] = []
        self._is_done = False

    def read(self, piece: bytes) -> Iterator[AnswerEvent]:
        """Raises LociError if the answer failed."""
        text = self._decoder.decode(piece)
        if text == "":
            return
        # The LF of a CR LF that was cut belongs to the line before.
        start = 1 if self._is_after_cr and text[0] == "\n" else 0
        self._is_after_cr = text[-1] == "\r"
        *lines, self._rest = re.split("\r\n|\r|\n", self._rest + text[start:])
        for line in lines:
            yield from self._read_line(line)

    def _read_line(self, line: str) -> Iterator[AnswerEvent]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif line == "":
            event, data, self._name, self._data = self._name, "\n".join(self._data), "", []
            if event == "error":
                raise _failed(_parse(data))
            # Later versions of the service may have others.
            if event in _EVENTS:
                self._is_done = event == "done"
                yield AnswerEvent(cast(Any, event), _parse(data))

    def require_done(self) -> None:
        if not self._is_done:
            raise broken_off()


def broken_off() -> ConnectionFailed:
    return ConnectionFailed("The connection broke before the answer was finished. Ask again.", code="unreachable")


def _parse(data: str) -> dict[str, Any]:
    try:
        return json.loads(data)
    except ValueError as error:
        raise broken_off() from error


def _failed(body: dict[str, Any]) -> LociError:
    return LociError(body.get("detail", "The answer failed."), code=body.get("code", "internal"), body=body)
