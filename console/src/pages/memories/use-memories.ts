import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import type { MemoryFilter } from './memory-filter.ts';

const PAGE_SIZE = 50;
/** The most that a search returns. */
export const MAX_FOUND = 100;
const HISTORY_SIZE = 1000;

/** The memories of a filter: listed page by page, or, with words to search or a time in the past, found at once. */
export function useMemories(filter: MemoryFilter) {
  const { loci } = useSession();
  const ofUser = filter.user === undefined ? {} : { user_id: filter.user };
  return useInfiniteQuery({
    queryKey: queryKeys.memories(filter),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      if (isSearch(filter)) {
        const found = await dataOf(loci.api.POST('/api/v1/memories/search', { body: searchOf(filter), signal }));
        return { data: found.memories, next_cursor: null };
      }
      const query = { ...ofUser, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/memories', { params: { query }, signal }));
    },
    getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor,
    select: ({ pages }) => pages.flatMap((page): Schemas['MemoryRecord'][] => page.data),
  });
}

function isSearch({ search, asOf }: MemoryFilter): boolean {
  return search !== undefined || asOf !== undefined;
}

function searchOf({ user, search, asOf }: MemoryFilter): Schemas['SearchMemoriesRequest'] {
  return {
    query: search ?? '',
    retrieval_method: search === undefined ? 'last_n' : 'hybrid',
    limit: MAX_FOUND,
    ...(user === undefined ? {} : { user_id: user }),
    ...(asOf === undefined ? {} : { as_of: asOf }),
  };
}

/** The versions of a memory, newest first. */
export function useMemoryHistory(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.memoryHistory(id),
    queryFn: async ({ signal }) => {
      const params = { path: { memory_id: id }, query: { limit: HISTORY_SIZE } };
      return dataOf(loci.api.GET('/api/v1/memories/{memory_id}/history', { params, signal }));
    },
  });
}

/** What is sent to add a memory or, with an id, to change it. */
export type SavedMemory = { id: string | null; body: Schemas['CreateMemoryRequest'] };

/** Adds or changes a memory. */
export function useSaveMemory() {
  const { loci, access } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ id, body }: SavedMemory) => {
      // With a token, the user is that of the token.
      const { user_id: user, ...fields } = body;
      const sent = access.user_id === null && user !== undefined ? { ...fields, user_id: user } : fields;
      if (id === null) return dataOf(loci.api.POST('/api/v1/memories', { body: sent }));
      const { memory_type: _type, ...changes } = sent;
      return dataOf(
        loci.api.PUT('/api/v1/memories/{memory_id}', { params: { path: { memory_id: id } }, body: changes }),
      );
    },
    onSuccess: refresh,
  });
}

/** Deletes a memory with its history. */
export function useDeleteMemory() {
  const { loci } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.DELETE('/api/v1/memories/{memory_id}', { params: { path: { memory_id: id } } })),
    onSuccess: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => queries.invalidateQueries({ queryKey: queryKeys.memories() });
}
