import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import pMap from 'p-map';
import { useEffect, useRef, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

const PAGE_SIZE = 100;
const REFRESH_MS = 2_000;
const RETRIES_AT_ONCE = 4;

type Status = Schemas['Content']['status'];

/** An upload with its progress, crawls and rejected items; anew while it is running. */
export function useUpload(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.upload(id, 'state'),
    queryFn: async ({ signal }) => {
      const params = { path: { upload_id: id }, query: { limit: 1 } };
      return dataOf(loci.api.GET('/api/v1/uploads/{upload_id}', { params, signal }));
    },
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? REFRESH_MS : false),
  });
}

/** The contents of an upload, or those with a status, page by page; anew while it is running, and once when it has ended. */
export function useUploadContents(id: string, { status, isRunning }: { status?: Status; isRunning: boolean }) {
  const { loci } = useSession();
  const list = useInfiniteQuery({
    queryKey: queryKeys.upload(id, status ?? 'contents'),
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const query = { ...page, ...(status === undefined ? {} : { content_status: status }) };
      const params = { path: { upload_id: id }, query };
      return dataOf(loci.api.GET('/api/v1/uploads/{upload_id}', { params, signal }));
    },
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ contents }) => contents),
    refetchInterval: isRunning ? REFRESH_MS : false,
  });
  const wasRunning = useRef(isRunning);
  const { refetch } = list;
  useEffect(() => {
    // What was loaded last is from before the end.
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
  return list;
}

/** Ingests contents again, a few at a time. The first failure is reported, and the others are tried as well. */
export function useRetryContents(uploadId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const retrying = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      setDone(0);
      const retry = async (id: string) => {
        const answer = loci.api.POST('/api/v1/contents/{content_id}/retry', { params: { path: { content_id: id } } });
        await dataOf(answer).finally(() => setDone((before) => before + 1));
      };
      await pMap(ids, retry, { concurrency: RETRIES_AT_ONCE, stopOnError: false }).catch((error: unknown) => {
        throw error instanceof AggregateError ? error.errors[0] : error;
      });
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.upload(uploadId) });
      await queries.invalidateQueries({ queryKey: queryKeys.uploads() });
    },
  });
  return { ...retrying, done };
}
