import { useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';

const REFRESH_RECEIPT_MS = 1_000;

/** The receipt of a deletion, anew until it is completed; none for a key that may not read it. */
export function useDeletion(id: string) {
  const { loci, may } = useSession();
  return useQuery({
    queryKey: queryKeys.deletion(id),
    enabled: may('deletions:read'),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/deletions/{deletion_id}', { params: { path: { deletion_id: id } }, signal })),
    // Without any answer it is asked again on request: the key may not read this one, or there may be none.
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === 'completed' ? false : REFRESH_RECEIPT_MS,
  });
}
