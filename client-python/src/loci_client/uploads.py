"""Uploads of any number of files, texts and URLs, in as many requests as necessary."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from .errors import UNREADABLE_FILE, InvalidRequest, LociError, PayloadTooLarge, parsed
from .generated.models import Content, UploadItem, UploadResponse
from .present_contents import present_contents
from .steps import Flow, Send
from .upload_inputs import FileInput, UploadFailure, UploadInput, batches, file_input, printable, text_input, url_input

MAX_ITEMS = 200
MAX_BYTES = 64 * 1024 * 1024
#: Requests are not made smaller than this because of a few bytes that were too many.
_LEAST_BYTES = 512 * 1024


@dataclass
class UploadResult:
    #: One id per request, for `wait_until_ready`.
    upload_ids: list[str] = field(default_factory=list)
    #: What the service accepted or already had. Its ingestion continues after the upload.
    items: list[UploadItem] = field(default_factory=list)
    #: Contents that were not sent, because the collection already has them.
    present: list[Content] = field(default_factory=list)
    failures: list[UploadFailure] = field(default_factory=list)


@dataclass
class Upload:
    """What is uploaded, and how."""

    collection_id: str
    files: Iterable[FileInput | str | os.PathLike[str]] = ()
    texts: Iterable[str] = ()
    urls: Iterable[str] = ()
    metadata: dict[str, Any] | None = None
    #: Files whose external id, name and bytes the collection already has are not sent.
    skip_present: bool = False
    max_items: int = MAX_ITEMS
    max_bytes: int = MAX_BYTES
    #: Further fields of `POST /upload`: `description`, `user_id`, `reader`, `ingest`, `on_duplicate`, `crawl`, `max_pages` …
    options: dict[str, Any] = field(default_factory=dict)


def upload_flow(what: Upload) -> Flow[UploadResult]:
    result = UploadResult()
    given_files = list(what.files)
    present = yield from present_contents(what, len(given_files))
    files = []
    for given in given_files:
        try:
            one = file_input(given)
            content = present.get((one.external_id, one.name))
            if content is not None and content.content_hash == one.sha256():
                result.present.append(content)
            else:
                files.append(one)
        except OSError as error:
            name = (given.path or given.name) if isinstance(given, FileInput) else given
            result.failures.append(_unreadable(printable(str(name)), error))
    for inputs in (files, map(text_input, what.texts), map(url_input, what.urls)):
        for batch in batches(inputs, what):
            yield from _send(what, result, batch)
    return result


def _send(what: Upload, result: UploadResult, batch: list[UploadInput]) -> Flow[bool]:
    """Sends a batch; splits it if it is too large or contains a file that cannot be read. Returns whether no item was too large
    by itself.
    """
    try:
        answer = yield from _send_once(what, batch)
    except PayloadTooLarge as error:
        if len(batch) > 1:
            return (yield from _send_smaller(what, result, batch))
        result.failures.append(UploadFailure(batch[0].name, error.code, error.detail))
        return False
    except (OSError, LociError) as error:
        # Changed or removed since it was found. Alone it is opened again, as it is then.
        if isinstance(error, LociError) and error.code != UNREADABLE_FILE:
            raise
        if len(batch) == 1:
            result.failures.append(_unreadable(batch[0].name, error))
            return True
        return (yield from _send_all(what, result, _halves(batch)))
    rest = _take(result, batch, answer)
    if not rest:
        return True
    what.max_items = len(batch) - len(rest)
    return (yield from _send(what, result, rest))


def _send_smaller(what: Upload, result: UploadResult, batch: list[UploadInput]) -> Flow[bool]:
    """Later requests are no larger than the halves, unless it was one item that was too large."""
    halves = _halves(batch)
    fitting = yield from _send_all(what, result, halves)
    if fitting:
        what.max_items = min(what.max_items, len(halves[0]))
        size = max(sum(one.size for one in half) for half in halves)
        what.max_bytes = min(what.max_bytes, max(_LEAST_BYTES, size))
    return fitting


def _send_all(what: Upload, result: UploadResult, batches: Iterable[list[UploadInput]]) -> Flow[bool]:
    fitting = True
    for batch in batches:
        fitting = (yield from _send(what, result, batch)) and fitting
    return fitting


def _halves(batch: list[UploadInput]) -> tuple[list[UploadInput], list[UploadInput]]:
    middle = (len(batch) + 1) // 2
    return batch[:middle], batch[middle:]


def _take(result: UploadResult, batch: list[UploadInput], answer: UploadResponse) -> list[UploadInput]:
    """Adds an answer to the result. Returns the items of the batch that were beyond the limit of the service for one request."""
    result.items.extend(answer.uploads)
    if answer.upload_id is not None:
        result.upload_ids.append(str(answer.upload_id))
    # The service takes the items in their order, and nothing of texts without characters.
    sent = [one for one in batch if one.source != "text" or one.text]
    beyond = [error for error in answer.errors if error.code == "too_many_items"]
    if len(beyond) >= len(sent):
        beyond = []
    result.failures.extend(UploadFailure(e.name, e.code, e.message) for e in answer.errors if e not in beyond)
    return sent[-len(beyond) :] if beyond else []


def _send_once(what: Upload, batch: list[UploadInput]) -> Flow[UploadResponse]:
    opened = ExitStack()
    try:
        send = Send("POST", "/api/v1/upload", {"files": _form(what, batch, opened)}, opened)
    except OSError:
        opened.close()
        raise
    try:
        response = yield send
        return parsed(response, lambda found: UploadResponse.from_dict(found.json()))
    except InvalidRequest as error:
        # When no item is accepted, the answer is a 400 that lists every item.
        if isinstance(error.body, dict) and "uploads" in error.body:
            return UploadResponse.from_dict(error.body)
        raise


def _form(what: Upload, batch: list[UploadInput], opened: ExitStack) -> list[tuple[str, tuple]]:
    source = batch[0].source
    fields: dict[str, Any] = {"collection_id": what.collection_id, "content_type": source, "metadata": what.metadata}
    crawls = ("crawl", "max_pages", "max_depth")
    fields |= {name: value for name, value in what.options.items() if source == "url" or name not in crawls}
    own = [one.own_fields() for one in batch]
    if any(own):
        fields["items"] = own
    parts: list[tuple[str, tuple]] = [
        (name, (None, _text_of(value).encode())) for name, value in fields.items() if value is not None
    ]
    for one in batch:
        if source == "file":
            content = one.open()
            if not isinstance(content, bytes):
                opened.enter_context(content)
            parts.append(("files", (one.plain_name, content, "application/octet-stream")))
        else:
            parts.append(("content" if source == "text" else "urls", (None, one.text.encode())))
    return parts


def _text_of(value: Any) -> str:
    if isinstance(value, (dict, list, bool)):
        return json.dumps(value)
    return str(value)


def _unreadable(name: str, error: OSError | LociError) -> UploadFailure:
    if isinstance(error, LociError):
        return UploadFailure(name, error.code, error.detail)
    return UploadFailure(name, UNREADABLE_FILE, f"The file cannot be read: {error.strerror or error}.")
