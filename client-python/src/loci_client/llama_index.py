"""A retriever for LlamaIndex: `pip install "loci-client[llama-index]"`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from .async_client import AsyncLoci
from .calls import Id
from .client import Loci
from .generated.models import SearchResponse
from .passages import passages_of, search_fields


class LociRetriever(BaseRetriever):
    """Finds the passages of collections that are about a query. Each node has its source and page in `metadata`."""

    def __init__(
        self,
        loci: Loci,
        collection_ids: Iterable[Id] = (),
        *,
        k: int = 5,
        options: dict[str, Any] | None = None,
        async_loci: AsyncLoci | None = None,
        **framework: Any,
    ) -> None:
        """
        Args:
            collection_ids: Collections to search together; none means every collection that the key reaches.
            k: Largest number of nodes.
            options: Further fields of `POST /collections/search`, such as `filters`, `min_score` and `rerank`.
            async_loci: Searches in asynchronous engines; without it they block while `loci` searches.
            framework: Arguments of LlamaIndex, such as `callback_manager`.
        """
        super().__init__(**framework)
        self._loci, self._async_loci = loci, async_loci
        self._fields = search_fields(collection_ids, k, options or {})

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._loci.search(query_bundle.query_str, **self._fields))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_loci is None:
            return self._retrieve(query_bundle)
        return _nodes(await self._async_loci.search(query_bundle.query_str, **self._fields))


def _nodes(response: SearchResponse) -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(id_=one.id, text=one.text, metadata=one.metadata), score=one.score)
        for one in passages_of(response)
    ]
