import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import type { ContentFilter } from './content-filter.ts';

const PAGE_SIZE = 100;
const REFRESH_MS = 3_000;
const REFRESH_RECEIPT_MS = 1_000;
const IN_PROGRESS: ReadonlySet<string> = new Set([
  'pending',
  'downloading',
  'reading',
  'splitting',
  'indexing',
  'deleting',
]);

/** A collection with its counts. */
export function useCollection(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.collection(id),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/collections/{collection_id}', { params: { path: { collection_id: id } }, signal })),
  });
}

/** The contents of a collection that match, page by page; anew every few seconds while some are being worked on. */
export function useContents(collectionId: string, { status, search }: ContentFilter) {
  const { loci } = useSession();
  const filters = { ...(status === undefined ? {} : { status }), ...(search === undefined ? {} : { search }) };
  return useInfiniteQuery({
    queryKey: queryKeys.contents(collectionId, filters),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const query = { collection_id: collectionId, ...filters, ...page };
      return dataOf(loci.api.GET('/api/v1/contents', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap(({ data }) => data) ?? [];
      return shown.some((content) => IN_PROGRESS.has(content.status)) ? REFRESH_MS : false;
    },
  });
}

export type ContentAction = 'retry' | 'pause' | 'resume' | 'cancel';

/** Tries again, pauses, resumes or cancels the ingestion of a content. */
export function useControlContent(collectionId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, action }: { id: string; action: ContentAction }) =>
      dataOf(loci.api.POST(`/api/v1/contents/{content_id}/${action}`, { params: { path: { content_id: id } } })),
    onSettled: async () => queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) }),
  });
}

/** Deletes a content. */
export function useDeleteContent(collectionId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) =>
      dataOf(loci.api.DELETE('/api/v1/contents/{content_id}', { params: { path: { content_id: id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
      await queries.invalidateQueries({ queryKey: queryKeys.collection(collectionId) });
    },
  });
}

/** The receipt of a deletion, anew until it is completed. */
export function useDeletion(id: string | null) {
  const { loci, may } = useSession();
  return useQuery({
    queryKey: queryKeys.deletion(id ?? ''),
    enabled: id !== null && may('deletions:read'),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/deletions/{deletion_id}', { params: { path: { deletion_id: id ?? '' } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : REFRESH_RECEIPT_MS),
  });
}
