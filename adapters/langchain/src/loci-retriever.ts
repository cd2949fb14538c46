import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import { dataOf, type components, type LociClient } from '@loci/client';

type Schemas = components['schemas'];

export type LociRetrieverFields = BaseRetrieverInput & {
  loci: LociClient;
  /** Collections to search together; none means every collection that the key reaches. */
  collectionIds?: readonly string[];
  /** Largest number of documents; default 5. */
  k?: number;
  /** Further fields of `POST /collections/search`, such as `filters`, `min_score` and `rerank`. */
  search?: Partial<Omit<Schemas['SearchRequest'], 'query' | 'collection_id' | 'collection_ids' | 'max_results'>>;
};

const DEFAULT_COUNT = 5;

/** Finds the passages of collections that are about a query. Each document has its source, page and score in `metadata`. */
export class LociRetriever extends BaseRetriever {
  static override lc_name(): string {
    return 'LociRetriever';
  }

  override lc_namespace = ['loci', 'retrievers'];
  readonly #fields: LociRetrieverFields;

  constructor(fields: LociRetrieverFields) {
    super(fields);
    this.#fields = fields;
  }

  /** @throws LociError if the service refuses the search or cannot be reached */
  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { loci, collectionIds = [], k = DEFAULT_COUNT, search } = this.#fields;
    const body = { ...search, query, collection_ids: [...collectionIds], max_results: k };
    const { results } = await dataOf(loci.api.POST('/api/v1/collections/search', { body }));
    return results.map(documentOf);
  }
}

function documentOf(result: Schemas['SearchResult']): Document {
  const { chunk: _, ...own } = result.metadata;
  return new Document({
    id: result.chunk.id,
    pageContent: result.content,
    metadata: {
      ...own,
      source: result.source,
      content_id: result.content_id,
      collection_id: result.collection_id,
      page: result.chunk.page,
      heading_path: result.chunk.heading_path,
      score: result.score,
    },
  });
}
