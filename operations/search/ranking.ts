import type { FailedCollection } from '#domain/records/search.ts';
import type { ContentVersion, Hit } from '#store/weaviate/vector-index.ts';
import type { VectorOf } from './query-vectors.ts';

/** How one or several collections are ranked for a query. */
export type Ranking = {
  /** Collections whose chunks are results. */
  collectionIds: ReadonlySet<string>;
  /** The query, embedded once for each space. */
  vectorOf: VectorOf;
  /** Returns the best hits, best first, at most `limit`, without objects of the versions in `exclude`. */
  searchIndex: (limit: number, exclude: readonly ContentVersion[]) => Promise<Hit[]>;
  /** Throws `dependency_unavailable` when there are no hits because the index lost its data. */
  requireIndexExists: () => Promise<void>;
  /** Collections that the last search could not read; null when it names one collection, whose failure is that of the search. */
  failed: () => FailedCollection[] | null;
};
