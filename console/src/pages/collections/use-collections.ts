import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import type { CollectionFilter } from './collection-filter.ts';

const PAGE_SIZE = 100;
/** Counts change while contents are ingested. */
const REFRESH_MS = 10_000;

/** The collections that match, page by page. */
export function useCollections({ status, search }: CollectionFilter) {
  const { loci } = useSession();
  const filters = {
    ...(status === 'all' ? {} : { status: status ?? ('active' as const) }),
    ...(search === undefined ? {} : { search }),
  };
  return useInfiniteQuery({
    queryKey: queryKeys.collections(filters),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/collections', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap((page) => page.data),
  });
}

/** Creates a collection. */
export function useCreateCollection() {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas['CreateCollectionRequest']) =>
      dataOf(loci.api.POST('/api/v1/collections', { body })),
    // Members may change what they created, and nothing else.
    onSuccess: async () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: queryKeys.collections() }),
        queries.invalidateQueries({ queryKey: queryKeys.caller() }),
      ]),
  });
}

/** Changes a collection. */
export function useUpdateCollection(id: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas['UpdateCollectionRequest']) =>
      dataOf(loci.api.PATCH('/api/v1/collections/{collection_id}', { params: { path: { collection_id: id } }, body })),
    onSuccess: async () => queries.invalidateQueries({ queryKey: queryKeys.collections() }),
  });
}

/** Deletes a collection. */
export function useDeleteCollection(id: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation<Schemas['DeletionAccepted'], Error, void>({
    mutationFn: async () =>
      dataOf(loci.api.DELETE('/api/v1/collections/{collection_id}', { params: { path: { collection_id: id } } })),
    onSettled: async () => queries.invalidateQueries({ queryKey: queryKeys.collections() }),
  });
}

/** Archives a collection, or makes it active again. */
export function useArchiveCollection() {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, action }: { id: string; action: 'archive' | 'unarchive' }) =>
      dataOf(
        loci.api.POST(`/api/v1/collections/{collection_id}/${action}`, { params: { path: { collection_id: id } } }),
      ),
    onSuccess: async () => queries.invalidateQueries({ queryKey: queryKeys.collections() }),
  });
}
