"""Files that a collection has already, so that an upload that is repeated sends only the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import parsed
from .generated.models import Content
from .pages import CURRENT_LIST, page_flow
from .steps import Flow, Send

if TYPE_CHECKING:
    from .uploads import Upload

#: Contents by external id and name.
Present = dict[tuple[str | None, str], Content]

_PAGE_ITEMS = 1000
#: Contents in these statuses are sent again, which retries them.
_SENT_AGAIN = ("failed", "cancelled", "deleting")


def present_contents(what: Upload, file_count: int) -> Flow[Present]:
    """Returns what need not be sent: nothing if sending it could change something, or is cheaper than listing."""
    found: Present = {}
    if not what.skip_present or not _can_skip(what.options):
        return found
    query: dict[str, Any] | None = {"collection_id": what.collection_id, "limit": 1}
    response = yield Send("GET", "/api/v1/contents", {"params": query, "headers": CURRENT_LIST})
    # Listing them all would need more requests than the service, which knows duplicates by their bytes, is spared.
    if parsed(response, lambda answer: int(answer.json()["total_count"])) > file_count * _PAGE_ITEMS:
        return found
    query = {"collection_id": what.collection_id, "limit": _PAGE_ITEMS}
    while query is not None:
        page, query = yield from page_flow("/api/v1/contents", query, CURRENT_LIST)
        for content in map(Content.from_dict, page):
            if content.external_id is not None and _would_stay_unchanged(content, what):
                found[content.external_id, content.name] = content
    return found


def _can_skip(options: dict[str, Any]) -> bool:
    """Lists do not say whose a content is, nor by which label it was sent."""
    return options.get("on_duplicate") != "keep" and options.get("user_id") is None and options.get("label") is None


def _would_stay_unchanged(content: Content, what: Upload) -> bool:
    """Whether sending the content again with this form would not change it."""
    if content.status in _SENT_AGAIN or (content.status == "stored" and what.options.get("ingest") is not False):
        return False
    description = what.options.get("description")
    if description is not None and description != content.description:
        return False
    metadata = content.metadata.to_dict()
    own = {key: value for key, value in metadata.items() if key != "external_id"}
    return what.metadata is None or what.metadata in (own, metadata)
