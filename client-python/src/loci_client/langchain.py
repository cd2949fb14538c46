"""A retriever for LangChain: `pip install "loci-client[langchain]"`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from .async_client import AsyncLoci
from .client import Loci
from .generated.models import SearchResponse
from .passages import passages_of, search_fields


class LociRetriever(BaseRetriever):
    """Finds the passages of collections that are about a query. Each document has its source, page and score in `metadata`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    loci: Loci
    #: Searches in asynchronous chains; without it they search in a thread.
    async_loci: AsyncLoci | None = None
    #: Collections to search together; none means every collection that the key reaches.
    collection_ids: list[str | UUID] = Field(default_factory=list)
    #: Largest number of documents.
    k: int = 5
    #: Further fields of `POST /collections/search`, such as `filters`, `min_score` and `rerank`.
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        fields = search_fields(self.collection_ids, self.k, self.options)
        return _documents(self.loci.search(query, **fields))

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun) -> list[Document]:
        if self.async_loci is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        fields = search_fields(self.collection_ids, self.k, self.options)
        return _documents(await self.async_loci.search(query, **fields))


def _documents(response: SearchResponse) -> list[Document]:
    return [
        Document(id=one.id, page_content=one.text, metadata={**one.metadata, "score": one.score}) for one in passages_of(response)
    ]
