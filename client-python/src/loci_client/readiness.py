"""Waiting until uploads or contents have no more work to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

import httpx

from .calls import Id
from .errors import NotFound, parsed
from .pages import page_flow
from .paths import path_value
from .steps import Flow, Pause, Send, Tell
from .uploads import UploadResult

_FIRST_WAIT_S, _LONGEST_WAIT_S, _GROWTH = 0.25, 3.0, 1.3
#: A page costs about as much as so many requests for single contents, and one more for so many rows.
_PAGE_COST, _ROWS_PER_COST = 4, 40
#: Of contents that no list tells about, those that were asked for longest ago are asked for in each turn.
_SINGLE_REQUESTS = 100
#: In the order of the work, so that a content that goes on meanwhile is in one of the later lists.
_UNFINISHED = ("pending", "downloading", "reading", "splitting", "indexing", "paused")
_SETTLED = ("ready", "stored", "failed", "cancelled", "deleting")
_SUCCESSFUL = ("ready", "stored")


@dataclass(frozen=True)
class UnreadyContent:
    """A content that ended neither `ready` nor `stored`."""

    content_id: str
    name: str
    status: str
    error_code: str | None
    #: Why, and what to do.
    message: str | None


@dataclass
class ReadyResult:
    total: int = 0
    #: Contents without remaining work, whether they succeeded or not.
    settled: int = 0
    by_status: dict[str, int] = field(default_factory=dict)
    failed: list[UnreadyContent] = field(default_factory=list)


@dataclass
class Waiting:
    upload_ids: Iterable[str] = ()
    content_ids: Iterable[str] = ()
    timeout: float | None = None
    on_progress: Callable[[ReadyResult], None] | None = None

    @classmethod
    def of(cls, upload: UploadResult | None, upload_ids: Iterable[Id], content_ids: Iterable[Id]) -> Waiting:
        uploads = [*(upload.upload_ids if upload else ()), *map(str, upload_ids)]
        # An earlier upload may still be working on what was present.
        unfinished = [str(one.id) for one in upload.present if one.status not in _SETTLED] if upload else []
        return cls(uploads, [*unfinished, *map(str, content_ids)])


def ready_flow(what: Waiting) -> Flow[ReadyResult]:
    uploads: dict[str, tuple[int, int, dict[str, int]]] = {str(id): (0, -1, {}) for id in what.upload_ids}
    # In the order in which they were asked for.
    contents: dict[str, dict[str, Any] | None] = {str(id): {"status": "pending"} for id in what.content_ids}
    content_ids = [*contents]
    ends_at = None if what.timeout is None else monotonic() + what.timeout
    wait = _FIRST_WAIT_S
    while True:
        for id, (total, settled, _) in uploads.items():
            if settled < total or settled < 0:
                response = yield Send("GET", f"/api/v1/uploads/{path_value(id)}", {"params": {"limit": 1}})
                uploads[id] = parsed(response, _progress_of)
        yield from _ask_for(contents)
        result = _sum(uploads, contents)
        if what.on_progress is not None:
            yield Tell(partial(what.on_progress, result))
        if result.settled >= result.total:
            break
        if ends_at is not None and monotonic() + wait > ends_at:
            raise TimeoutError(
                f"{result.settled} of {result.total} contents were settled after {what.timeout} s. Ingestion continues."
            )
        yield Pause(wait)
        wait = min(_LONGEST_WAIT_S, wait * _GROWTH)
    for id, (total, _, by_status) in uploads.items():
        if sum(by_status.get(status, 0) for status in _SUCCESSFUL) < total:
            result.failed += yield from _failed_of(id)
    ended = [contents[id] for id in content_ids]
    result.failed += [_unready(one["id"], one) for one in ended if one and one["status"] not in _SUCCESSFUL]
    return result


def _progress_of(response: httpx.Response) -> tuple[int, int, dict[str, int]]:
    progress = response.json()["progress"]
    return progress["total"], progress["settled"], progress["by_status"]


def _ask_for(contents: dict[str, dict[str, Any] | None]) -> Flow[None]:
    """Asks for each unfinished content, or, while they are many, for the lists of what is unfinished in their collections.
    Where the lists are longer than what is waited for, 100 contents are asked for in each turn."""
    waiting = {id: one for id, one in contents.items() if one is not None and one["status"] not in _SETTLED}
    if not waiting:
        return
    collections = {one["collection_id"] for one in waiting.values() if "id" in one}
    if not collections:
        # It tells the collection of all, usually.
        first = next(iter(waiting))
        content = yield from _ask(contents, first, waiting.pop(first))
        collections = {content["collection_id"]} if content else set()
    are_all_listed = yield from _take_unfinished(contents, waiting, collections)
    unlisted = [id for id, content in waiting.items() if "id" in content]
    unknown = [id for id, content in waiting.items() if "id" not in content]
    for id in [*unknown, *(unlisted if are_all_listed else unlisted[:_SINGLE_REQUESTS])]:
        yield from _ask(contents, id, waiting[id])


def _take_unfinished(
    contents: dict[str, dict[str, Any] | None], waiting: dict[str, dict[str, Any]], collections: set[str]
) -> Flow[bool]:
    """Takes contents that are still unfinished from those that are waited for, as long as that costs less than a request
    for each. Returns whether all lists were read: the others have been settled then, or deleted."""
    budget, cost = len(waiting), 0.0
    if len(_UNFINISHED) * _PAGE_COST * len(collections) > budget:
        return False
    for collection_id in collections:
        for status in _UNFINISHED:
            query: dict[str, Any] | None = {"collection_id": collection_id, "status": status, "limit": 1000}
            while query is not None and waiting:
                if cost >= budget:
                    return False
                rows, query = yield from page_flow("/api/v1/contents", query)
                cost += _PAGE_COST + len(rows) / _ROWS_PER_COST
                for row in rows:
                    if waiting.pop(row["id"], None) is not None:
                        _learn(contents, row["id"], row)
    return True


def _learn(contents: dict[str, dict[str, Any] | None], id: str, content: dict[str, Any] | None) -> None:
    contents.pop(id, None)
    contents[id] = content


def _ask(contents: dict[str, dict[str, Any] | None], id: str, before: dict[str, Any]) -> Flow[dict[str, Any] | None]:
    content = yield from _content(id, before)
    _learn(contents, id, content)
    return content


def _content(id: str, before: dict[str, Any]) -> Flow[dict[str, Any] | None]:
    try:
        response = yield Send("GET", f"/api/v1/contents/{path_value(id)}")
        return parsed(response, lambda found: dict(found.json()))
    except NotFound:
        # It was there, and has been deleted meanwhile.
        if "id" in before:
            return None
        raise


def _failed_of(upload_id: str) -> Flow[list[UnreadyContent]]:
    found: list[UnreadyContent] = []
    query: dict[str, Any] | None = {"limit": 1000}
    while query is not None:
        rows, query = yield from page_flow(f"/api/v1/uploads/{path_value(upload_id)}", query)
        found += [_unready(row["content_id"], row) for row in rows if row["status"] not in _SUCCESSFUL]
    return found


def _unready(id: str, row: dict[str, Any]) -> UnreadyContent:
    return UnreadyContent(id, row["name"], row["status"], row["error_code"], row["status_message"])


def _sum(uploads: dict, contents: dict) -> ReadyResult:
    present = [content["status"] for content in contents.values() if content is not None]
    counts = Counter(present)
    for _, _, by_status in uploads.values():
        counts.update(by_status)
    return ReadyResult(
        total=sum(total for total, _, _ in uploads.values()) + len(present),
        settled=sum(settled for _, settled, _ in uploads.values()) + sum(status in _SETTLED for status in present),
        by_status=dict(counts),
    )
