import { useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';

/** What concerns the whole service, for those who operate it; for all others nothing is asked. */
export function useServiceFacts({ refreshMs }: { refreshMs?: number } = {}) {
  const { loci, access } = useSession();
  return useQuery({
    queryKey: queryKeys.service(),
    enabled: access.is_operator,
    staleTime: refreshMs ?? Infinity,
    ...(refreshMs === undefined ? {} : { refetchInterval: refreshMs }),
    queryFn: async ({ signal }) => dataOf(loci.api.GET('/api/v1/service', { signal })),
  });
}
