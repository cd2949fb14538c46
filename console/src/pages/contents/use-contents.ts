import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { isInProgress } from './is-in-progress.ts';
import type { ContentFilter } from './content-filter.ts';

const PAGE_SIZE = 100;
const REFRESH_MS = 3_000;

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
      return shown.some(isInProgress) ? REFRESH_MS : false;
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
    onSettled: async (_content, _error, { id }) => {
      await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
      await queries.invalidateQueries({ queryKey: queryKeys.content(id) });
    },
  });
}

/** Deletes a content. */
export function useDeleteContent(collectionId: string, contentId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation<Schemas['DeletionAccepted'], Error, void>({
    mutationFn: async () =>
      dataOf(loci.api.DELETE('/api/v1/contents/{content_id}', { params: { path: { content_id: contentId } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
      await queries.invalidateQueries({ queryKey: queryKeys.collection(collectionId) });
    },
  });
}
