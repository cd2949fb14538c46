import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import type { SearchChoice, SearchType } from './search-choice.ts';
import { searchRequestOf } from './search-request.ts';

/** How many documents the choice of an expected one offers at a time. */
const OFFERED_CONTENTS = 20;

/** The results of one kind of search; none without a query. */
export function useSearch(choice: SearchChoice, type: SearchType) {
  const { loci } = useSession();
  const body = searchRequestOf(choice, type);
  return useQuery({
    queryKey: queryKeys.search(body),
    enabled: body.query !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => dataOf(loci.api.POST('/api/v1/collections/search', { body, signal })),
  });
}

/** The values that a field has in the searched collections, the most frequent first. */
export function useFieldValues(field: string, collections: readonly string[]) {
  const { loci } = useSession();
  const name = field.trim();
  const body = {
    query: name,
    collection_ids: [...collections],
    search_type: 'keyword' as const,
    max_results: 1,
    facets: [name],
  };
  return useQuery({
    queryKey: queryKeys.search(body),
    enabled: name !== '',
    queryFn: async ({ signal }) => {
      const found = await dataOf(loci.api.POST('/api/v1/collections/search', { body, signal }));
      return found.facets?.[name]?.values ?? [];
    },
  });
}

/** The documents whose names have this text. */
export function useContentsByName(name: string, collections: readonly string[]) {
  const { loci, may } = useSession();
  const [only] = collections;
  const query = {
    limit: OFFERED_CONTENTS,
    ...(name === '' ? {} : { search: name }),
    ...(only !== undefined && collections.length === 1 ? { collection_id: only } : {}),
  };
  return useQuery({
    queryKey: queryKeys.contents('any', query),
    enabled: may('contents:read'),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => dataOf(loci.api.GET('/api/v1/contents', { params: { query }, signal })),
    select: ({ data }) => data,
  });
}

/** Why a document is not among the results of this search. */
export function useMissingResult(choice: SearchChoice, contentId: string) {
  const { loci } = useSession();
  const { query, search_type, filters, max_results, collection_id } = searchRequestOf(choice, searchTypeOf(choice));
  const body = {
    query,
    content_id: contentId,
    search_type,
    max_results,
    ...(filters === undefined ? {} : { filters }),
    ...(collection_id === undefined ? {} : { collection_id }),
  };
  return useQuery({
    queryKey: queryKeys.search(body),
    enabled: contentId !== '',
    queryFn: async ({ signal }) => dataOf(loci.api.POST('/api/v1/collections/search/explain', { body, signal })),
  });
}

/** The kind of search that code and explanations are about: of the three side by side, the usual one. */
export function searchTypeOf({ type }: SearchChoice): SearchType {
  return type === undefined || type === 'compare' ? 'hybrid' : type;
}
