"""What retrievers of frameworks have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .calls import Id
from .generated.models import SearchResponse


@dataclass(frozen=True)
class Passage:
    """A chunk that a search found, with what a prompt or a citation needs."""

    id: str
    text: str
    score: float
    #: Metadata of the content; `source`, `content_id`, `collection_id`, `page` and `heading_path` are those of the passage.
    metadata: dict[str, Any]


def search_fields(collection_ids: Iterable[Id], k: int, options: dict[str, Any]) -> dict[str, Any]:
    """The fields of a search; `options` have the last word."""
    return {"collection_ids": list(collection_ids), "max_results": k, **options}


def passages_of(response: SearchResponse) -> list[Passage]:
    """The passages, best first."""
    return [
        Passage(
            id=str(result.chunk.id),
            text=result.content,
            score=result.score,
            metadata={
                **{name: value for name, value in result.metadata.to_dict().items() if name != "chunk"},
                "source": result.source,
                "content_id": str(result.content_id),
                "collection_id": str(result.collection_id),
                "page": result.chunk.page,
                "heading_path": result.chunk.heading_path,
            },
        )
        for result in response.results
    ]
