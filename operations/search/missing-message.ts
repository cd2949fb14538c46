import { assertNever } from '#domain/app-error.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import type {
  ContentStatusFields,
  ExplainSearchRequest,
  MissingResult,
  QueryTerm,
} from '#domain/records/missing-result.ts';
import { createMatcher } from '#domain/search/find-matches.ts';
import { readableTerm } from '#domain/search/index-term.ts';
import type { ChunkText } from '#store/contents/chunk-hits.ts';

const MAX_FORMS = 10;

/** Returns the words of a query with the forms that are looked up, and the words of the chunk that match them. */
export function explainTerms(query: string, row: ChunkText): QueryTerm[] {
  const text = storedText(row);
  const matcher = createMatcher(query);
  const found = Map.groupBy(matcher.findMatches(text), ({ queryWord }) => queryWord);
  const words = new Map(matcher.words.map((one) => [one.word, one]));
  return [...words.values()].map(({ word, terms, same }) => ({
    word,
    looked_up: distinct([word.toLowerCase(), ...terms.map(readableTerm)]),
    found: distinct((found.get(same) ?? []).map(({ start, end }) => text.slice(start, end))),
  }));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_FORMS);
}

/** `place`: among the results, from 1. */
type Asked = { request: ExplainSearchRequest; status: ContentStatusFields; place: number | null };
type Examined = Omit<MissingResult, 'message' | 'query' | 'search_type' | 'collection_id' | 'content'>;

/** Says the reason in a sentence, and what to do. */
export function missingMessage(examined: Examined, { request, status, place }: Asked): string {
  switch (examined.reason) {
    case 'found':
      return `It is among the results${place === null ? '' : `, at rank ${place}`}.`;
    case 'not_in_collection':
      return 'It is not in this collection. Search the collection that has it, or upload it to this one.';
    case 'not_ingested':
      if (status.status === null) return 'It has no searchable text in this collection.';
      return `It has no searchable text in this collection: its status is ${status.status}. ${status.status_message ?? ''}`.trim();
    case 'filtered_out': {
      const failed = examined.filters.filter(({ holds }) => !holds).map(({ condition }) => condition);
      if (failed.length === 0)
        return 'Each condition of the filters holds for one of its chunks, but all of them hold for none.';
      return `The filters exclude it: ${failed.join('; ')}. filters has the values that were seen.`;
    }
    case 'filters_outdated':
      return 'Its filter fields have changed, and the index is about to get them. Search again shortly; if it stays so, rebuild the index.';
    case 'not_indexed':
      return 'The index does not have it, though the database does. Rebuild the index: POST /workspaces/{workspace_id}/reindex.';
    case 'not_matched':
      return 'No word of the query is in it. Search by hybrid or vector, which also find other words for the same thing.';
    case 'below_threshold':
      return `Its relevance ${(examined.relevance ?? 0).toFixed(2)} is below min_score ${request.min_score}.`;
    case 'below_cut': {
      const { rank, rerank } = examined;
      if (rerank !== null) {
        const before = rank === null ? '' : `, from rank ${rank} of the search`;
        return `The reranker puts it at rank ${rerank.rank}${before}, and the search returns ${request.max_results} results. See lost_to.`;
      }
      // The scores of a hybrid search depend a little on the number of hits that are asked for.
      const isClose = rank !== null && rank <= request.max_results;
      const where = rank === null ? 'beyond rank 1,000' : isClose ? 'just below the last result' : `at rank ${rank}`;
      return `It is ${where}, and the search returns ${request.max_results} results. Raise max_results, filter, or see lost_to.`;
    }
    default:
      return assertNever(examined.reason);
  }
}
