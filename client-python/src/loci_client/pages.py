"""Lists that are answered page by page."""

from __future__ import annotations

import json
from typing import Any

from .errors import parsed
from .steps import Flow, Send

#: Names of the field with the entries; it depends on the list.
_ROWS = ("data", "chunks", "contents")


#: Headers of a request whose list has to contain all that was written before. Others may be seconds old.
CURRENT_LIST = {"Cache-Control": "no-cache"}


def page_flow(
    path: str, query: dict[str, Any], headers: dict[str, str] | None = None
) -> Flow[tuple[list[dict[str, Any]], dict[str, Any] | None]]:
    """Returns the entries of a page, and the query of the next one: None after the last. Lists without a cursor
    (conversations) are paged by position: what is added or deleted meanwhile can repeat or skip entries."""
    given = {name: value for name, value in query.items() if value is not None}
    # Filters are JSON in a parameter.
    texts = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in given.items()}
    response = yield Send("GET", path, {"params": texts, "headers": headers})
    page: dict[str, Any] = parsed(response, lambda found: dict(found.json()))
    rows: list[dict[str, Any]] = next((page[name] for name in _ROWS if name in page), [])
    if "next_cursor" in page:
        return rows, None if page["next_cursor"] is None else {**query, "cursor": page["next_cursor"]}
    seen = query.get("skip", 0) + len(rows)
    return rows, None if not rows or seen >= page.get("total_count", 0) else {**query, "skip": seen}
