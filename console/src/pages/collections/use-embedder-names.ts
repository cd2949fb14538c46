import { useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';

/** The names of the configured embedders, the default one first; none while they are not known. */
export function useEmbedderNames(): string[] {
  const { loci } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.readiness(),
    queryFn: async ({ signal }) => dataOf(loci.api.GET('/readyz', { signal })),
  });
  return data?.embedders.map(({ name }) => name) ?? [];
}
