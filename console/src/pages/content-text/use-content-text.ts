import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { isInProgress } from '../contents/is-in-progress.ts';

const REFRESH_MS = 2_000;
const CHUNKS_PER_PAGE = 100;
/** Code units of text that are shown at once where no chunks divide it. */
const MAX_UNCHUNKED = 200_000;

/** A content with its status. */
export function useContent(id: string, isEnabled = true) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.content(id),
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/contents/{content_id}', { params: { path: { content_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isInProgress(state.data) ? REFRESH_MS : false),
  });
}

/** Where a page of a text starts: its chunks, and its first code unit. */
type PageStart = { cursor: string | null; from: number };
const FIRST_PAGE: PageStart = { cursor: null, from: 0 };

/** The text that was extracted, with its chunks, a page of chunks at a time. It is another one when the content was ingested again. */
export function useChunkedText(collectionId: string, { id, status, updated_at: updatedS }: Schemas['Content']) {
  const { loci, may } = useSession();
  const readText = useReadText(id);
  return useInfiniteQuery({
    queryKey: [...queryKeys.content(id), 'chunks', collectionId, status, updatedS],
    enabled: may('chunks:read'),
    initialPageParam: FIRST_PAGE,
    queryFn: async ({ pageParam: { cursor, from }, signal }) => {
      const page = { limit: CHUNKS_PER_PAGE, ...(cursor === null ? {} : { cursor }) };
      const params = { path: { content_id: id }, query: { collection_id: collectionId, ...page } };
      const {
        chunks,
        total_chunks: total,
        next_cursor: next = null,
      } = await dataOf(loci.api.GET('/api/v1/contents/{content_id}/chunks', { params, signal }));
      const start = Math.min(from, chunks[0]?.meta_data.start ?? from);
      const end = Math.max(from, ...chunks.map(({ meta_data: { end: one } }) => one));
      // After the last chunk, what follows it is shown as well.
      const limit = next === null ? Math.max(end - start, 0) + MAX_UNCHUNKED : end - start;
      const text = limit === 0 ? '' : await readText({ offset: start, limit }, signal);
      return {
        part: { start, text, chunks, shownTo: from },
        total,
        next: next === null ? null : { cursor: next, from: end },
      };
    },
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => ({ total: pages[0]?.total ?? 0, parts: pages.map(({ part }) => part) }),
  });
}

/** The text that was extracted, page by page without its chunks. */
export function usePlainText({ id, status, updated_at: updatedS }: Schemas['Content']) {
  const readText = useReadText(id);
  return useInfiniteQuery({
    queryKey: [...queryKeys.content(id), 'text', status, updatedS],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => readText({ offset, limit: MAX_UNCHUNKED }, signal),
    // Half of a character may have been left out at the end.
    getNextPageParam: (last, _pages, offset) => (last.length < MAX_UNCHUNKED - 1 ? null : offset + last.length),
  });
}

function useReadText(id: string) {
  const { loci } = useSession();
  return async (part: { offset: number; limit: number }, signal: AbortSignal): Promise<string> => {
    const params = { path: { content_id: id }, query: part };
    const text: unknown = await dataOf(
      loci.api.GET('/api/v1/contents/{content_id}/text', { params, parseAs: 'text', signal }),
    );
    return String(text);
  };
}

/** When the versions of a content were published, newest first. */
export function useContentVersions(collectionId: string, { id, status, updated_at: updatedS }: Schemas['Content']) {
  const { loci } = useSession();
  return useQuery({
    queryKey: [...queryKeys.content(id), 'versions', collectionId, status, updatedS],
    queryFn: async ({ signal }) => {
      const params = { path: { content_id: id }, query: { collection_id: collectionId } };
      return (await dataOf(loci.api.GET('/api/v1/contents/{content_id}/versions', { params, signal }))).versions;
    },
  });
}
