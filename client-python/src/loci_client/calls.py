"""The requests behind the methods that both clients have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from .errors import LociError, RateLimited, Unavailable, parsed
from .generated.models import Answer, Collection, MemoryAnswer, MemoryRecord, SearchMemoriesResponse, SearchResponse
from .paths import path_value
from .steps import Fetch, Flow, Send

Result = TypeVar("Result")
Id = str | UUID


def create_collection(name: str, fields: dict[str, Any]) -> Flow[Collection]:
    return _post("/api/v1/collections", {"name": name, **fields}, Collection.from_dict)


def search(query: str, options: dict[str, Any]) -> Flow[SearchResponse]:
    return _post("/api/v1/collections/search", {"query": query, **options}, SearchResponse.from_dict)


def answer(query: str, options: dict[str, Any]) -> Flow[Answer]:
    return _post("/api/v1/answers", {"query": query, **options}, Answer.from_dict)


def add_memory(memory: str, options: dict[str, Any]) -> Flow[MemoryAnswer]:
    return _post("/api/v1/memories", {"memory": memory, **options}, MemoryAnswer.from_dict)


def search_memories(query: str, options: dict[str, Any]) -> Flow[list[MemoryRecord]]:
    found = _post("/api/v1/memories/search", {"query": query, **options}, SearchMemoriesResponse.from_dict)
    return (yield from found).memories


def original_file(content_id: Id) -> Flow[bytes]:
    response = yield Send("GET", f"/api/v1/contents/{path_value(content_id)}/file")
    if response.status_code != 303:
        return response.content
    try:
        found = yield Fetch(response.headers["Location"])
    except LociError as error:
        if error.status is None or error.status < 300 or isinstance(error, (RateLimited, Unavailable)):
            raise
        raise _bucket_refused(error.status) from error
    if found.status_code != 200:
        raise _bucket_refused(found.status_code)
    return found.content


def _bucket_refused(status: int) -> LociError:
    detail = (
        f"The storage bucket answered the download link with status {status}. Links expire after minutes: download the file "
        "again for a new one. If this persists, check the clock and the permissions of the bucket."
    )
    return LociError(detail, code="bucket_refused", status=status)


def _post(path: str, body: dict[str, Any], parse: Callable[[Any], Result]) -> Flow[Result]:
    response = yield Send("POST", path, {"json": given_fields(body)})
    return parsed(response, lambda found: parse(found.json()))


def given_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a request as JSON. Those that are None were not given and are left out; a None inside of a field is
    a value, such as the condition of a filter that a key has none.
    """
    return {name: plain(value) for name, value in fields.items() if value is not None}


def plain(value: Any) -> Any:
    """Returns the value as JSON has it: ids and generated types become texts and objects."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value.to_dict() if hasattr(value, "to_dict") else value
