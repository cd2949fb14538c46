import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf, LociError } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import type { UploadAction } from '../../components/jobs/use-control-upload.ts';
import { goesOn } from './use-job-list.ts';

const REFRESH_MS = 3_000;
const NOT_FOUND = 404;

/** The last rebuild of the index of the workspace; null when there was none. */
export function useReindexing() {
  const { loci, access } = useSession();
  const id = access.workspace_id ?? '';
  return useQuery({
    queryKey: queryKeys.job('reindex', id),
    queryFn: async ({ signal }) =>
      orNull(
        dataOf(
          loci.api.GET('/api/v1/workspaces/{workspace_id}/reindex', {
            params: { path: { workspace_id: id } },
            signal,
          }),
        ),
      ),
    refetchInterval: ({ state }) => refreshOf(state.data),
  });
}

/** Pauses, resumes or cancels a change of embedder. */
export function useControlReembedding(collectionId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (action: UploadAction) =>
      dataOf(
        loci.api.POST(`/api/v1/collections/{collection_id}/reembed/${action}`, {
          params: { path: { collection_id: collectionId } },
        }),
      ),
    onSettled: async () => queries.invalidateQueries({ queryKey: queryKeys.jobs('reembed') }),
  });
}

/** A compression job, anew until it has ended. */
export function useCompression(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.job('compress', id),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/compress/{job_id}', { params: { path: { job_id: id } }, signal })),
    refetchInterval: ({ state }) => refreshOf(state.data),
  });
}

/** Cancels a compression job. */
export function useCancelCompression(id: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      dataOf(loci.api.POST('/api/v1/compress/{job_id}/cancel', { params: { path: { job_id: id } } })),
    onSettled: async () => queries.invalidateQueries({ queryKey: queryKeys.jobs('compress') }),
  });
}

function refreshOf(job: { status: string } | null | undefined): number | false {
  return job === null || job === undefined || !goesOn(job) ? false : REFRESH_MS;
}

/** What never was is no failure. */
async function orNull<Data>(data: Promise<Data>): Promise<Data | null> {
  try {
    return await data;
  } catch (error) {
    if (error instanceof LociError && error.status === NOT_FOUND) return null;
    throw error;
  }
}
