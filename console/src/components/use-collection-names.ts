import { useQuery } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../api/query-keys.ts';
import { useSession } from '../app/session.tsx';

/** The largest page of the list; who has more collections finds the others by their page. */
const LIMIT = 1000;

/** The names of the collections that the key reaches, archived ones too, by id; none while they are not known. */
export function useCollectionNames() {
  const { loci, may } = useSession();
  return useQuery({
    queryKey: queryKeys.collections({ limit: LIMIT }),
    enabled: may('collections:read'),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/collections', { params: { query: { limit: LIMIT } }, signal })),
    select: ({ data }) => new Map(data.flatMap(({ id, name, status }) => (status === 'deleting' ? [] : [[id, name]]))),
  });
}
