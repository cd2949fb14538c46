import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

export type UploadAction = 'pause' | 'resume' | 'cancel';

/** What the status of an upload permits. */
export function uploadActionsOf(status: Schemas['UploadSummary']['status']): UploadAction[] {
  if (status === 'running') return ['pause', 'cancel'];
  return status === 'paused' ? ['resume', 'cancel'] : [];
}

/** Pauses, resumes or cancels what an upload has not finished. */
export function useControlUpload(uploadId: string) {
  const { loci } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (action: UploadAction) =>
      dataOf(loci.api.POST(`/api/v1/uploads/{upload_id}/${action}`, { params: { path: { upload_id: uploadId } } })),
    onSettled: async () => queries.invalidateQueries({ queryKey: queryKeys.uploads() }),
  });
}
