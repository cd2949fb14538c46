import { useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';

const REFRESH_MS = 10_000;
const NOT_READY = 503;

/** The state of the service. A service that is not ready says why with an error status. */
export function useReadiness() {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.readiness(),
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const answer = await loci.api.GET('/readyz', { signal });
      const body: unknown = answer.error;
      if (answer.response.status === NOT_READY && isReadiness(body)) return body;
      return dataOf(Promise.resolve(answer));
    },
  });
}

function isReadiness(body: unknown): body is Schemas['Readiness'] {
  return typeof body === 'object' && body !== null && 'dependencies' in body && 'embedders' in body;
}
