import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import type { JobFilter } from './job-filter.ts';

const PAGE_SIZE = 50;
const REFRESH_MS = 3_000;
/** Uploads that somebody else has begun appear as well, later. */
const IDLE_REFRESH_MS = 15_000;

/** The uploads that match, newest first, page by page; anew every few seconds while some are running. */
export function useUploadList({ status, collection }: JobFilter) {
  const { loci } = useSession();
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(collection === undefined ? {} : { collection_id: collection }),
  };
  return useInfiniteQuery({
    queryKey: queryKeys.uploads(filters),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return dataOf(loci.api.GET('/api/v1/uploads', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap(({ data }) => data) ?? [];
      return shown.some((upload) => upload.status === 'running') ? REFRESH_MS : IDLE_REFRESH_MS;
    },
  });
}
