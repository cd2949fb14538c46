import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { isInProgress } from '../contents/is-in-progress.ts';

const REFRESH_MS = 2_000;
const CHUNKS_PER_PAGE = 100;

/** A content with its status. */
export function useContent(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.content(id),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/contents/{content_id}', { params: { path: { content_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isInProgress(state.data) ? REFRESH_MS : false),
  });
}

/** The whole text that was extracted. It is another one when the content was ingested again. */
export function useContentText({ id, status, updated_at: updatedS }: Schemas['Content']) {
  const { loci } = useSession();
  return useQuery({
    queryKey: [...queryKeys.content(id), 'text', status, updatedS],
    queryFn: async ({ signal }) => {
      const params = { path: { content_id: id } };
      const text: unknown = await dataOf(
        loci.api.GET('/api/v1/contents/{content_id}/text', { params, parseAs: 'text', signal }),
      );
      return String(text);
    },
  });
}

/** The chunks of a content, page by page; none for a key that may not read them. */
export function useContentChunks(collectionId: string, { id, status, updated_at: updatedS }: Schemas['Content']) {
  const { loci, may } = useSession();
  return useInfiniteQuery({
    queryKey: [...queryKeys.content(id), 'chunks', collectionId, status, updatedS],
    enabled: may('chunks:read'),
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: CHUNKS_PER_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const params = { path: { content_id: id }, query: { collection_id: collectionId, ...page } };
      return dataOf(loci.api.GET('/api/v1/contents/{content_id}/chunks', { params, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => ({ total: pages[0]?.total_chunks ?? 0, chunks: pages.flatMap(({ chunks }) => chunks) }),
  });
}
