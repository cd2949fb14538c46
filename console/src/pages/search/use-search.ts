import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import pMap from 'p-map';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import type { SearchChoice, SearchType } from './search-choice.ts';
import { searchRequestOf } from './search-request.ts';

/** How many documents of a collection the choice of an expected one offers at a time. */
const OFFERED_CONTENTS = 20;
const LISTS_AT_ONCE = 4;

/** A document that was expected among the results. `collectionId`: the searched collection that has it; null: its own one. */
export type ExpectedContent = { id: string; name: string; collectionId: string | null };

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

/** The documents of these collections whose names have this text; those of all collections where none is given. */
export function useContentsByName(name: string, collections: readonly string[]) {
  const { loci, may } = useSession();
  const query = { limit: OFFERED_CONTENTS, ...(name === '' ? {} : { search: name }) };
  return useQuery({
    queryKey: queryKeys.contents('any', { ...query, collections }),
    enabled: may('contents:read'),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const listIn = async (id: string | null): Promise<ExpectedContent[]> => {
        const params = { query: { ...query, ...(id === null ? {} : { collection_id: id }) } };
        const { data } = await dataOf(loci.api.GET('/api/v1/contents', { params, signal }));
        return data.map((content) => ({ id: content.id, name: content.name, collectionId: id }));
      };
      const places: readonly (string | null)[] = collections.length === 0 ? [null] : collections;
      return (await pMap(places, listIn, { concurrency: LISTS_AT_ONCE })).flat();
    },
  });
}

/** Why a document is not among the results of this search. */
export function useMissingResult(choice: SearchChoice, { id, collectionId }: Omit<ExpectedContent, 'name'>) {
  const { loci } = useSession();
  const { query, search_type, filters, max_results, collection_id } = searchRequestOf(choice, searchTypeOf(choice));
  const explained = collectionId ?? collection_id;
  const body = {
    query,
    content_id: id,
    search_type,
    max_results,
    ...(filters === undefined ? {} : { filters }),
    ...(explained === undefined ? {} : { collection_id: explained }),
  };
  return useQuery({
    queryKey: queryKeys.search(body),
    enabled: id !== '',
    queryFn: async ({ signal }) => dataOf(loci.api.POST('/api/v1/collections/search/explain', { body, signal })),
  });
}

/** The kind of search that code and explanations are about: of the three side by side, the usual one. */
export function searchTypeOf({ type }: SearchChoice): SearchType {
  return type === undefined || type === 'compare' ? 'hybrid' : type;
}
