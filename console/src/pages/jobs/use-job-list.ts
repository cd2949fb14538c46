import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

const PAGE_SIZE = 50;
const REFRESH_MS = 3_000;
/** Jobs that somebody else has begun appear as well, later. */
const IDLE_REFRESH_MS = 15_000;
/** Nothing goes on in these statuses. */
const IDLE: ReadonlySet<string> = new Set([
  'stored',
  'paused',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
]);

export type JobPage<Job> = { data: Job[]; next_cursor: string | null };
export type PageQuery = { limit: number; cursor?: string };

/** True while a job of this status goes on by itself. */
export function goesOn({ status }: { status: string }): boolean {
  return !IDLE.has(status);
}

/** A list of jobs, newest first, page by page; anew every few seconds while some of them go on and somebody looks at the page. */
export function useJobList<Job extends { status: string }>(
  queryKey: readonly unknown[],
  read: (query: PageQuery, signal: AbortSignal) => Promise<JobPage<Job>>,
) {
  return useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) =>
      read({ limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(goesOn)) === true ? REFRESH_MS : IDLE_REFRESH_MS,
  });
}
