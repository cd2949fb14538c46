import { useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { type Session, useSession } from '../../app/session.tsx';

type Connection = Schemas['Connection'];

const REFRESH_MS = 2_000;

/**
 * Starts the authorization of a connection: its link works once. `before` is when the connection was changed last. Both are kept
 * by nothing but the dialog that shows the link.
 */
export function useAuthorization(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.authorization(id),
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { updated_at: before } = await readConnection(loci, { id, signal });
      const params = { path: { connection_id: id } };
      const started = await dataOf(
        loci.api.POST('/api/v1/oauth/authorize/{connection_id}', { params, body: {}, signal }),
      );
      return { ...started, before };
    },
  });
}

/** Follows a connection until it has tokens that it had not `before`, also while another tab is shown. */
export function useIsConnected(id: string, before: string | undefined): boolean {
  const { loci } = useSession();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: queryKeys.connection(id),
    enabled: before !== undefined,
    gcTime: 0,
    queryFn: async ({ signal }) => readConnection(loci, { id, signal }),
    refetchInterval: ({ state }) => (isConnectedSince(state.data, before) ? false : REFRESH_MS),
    refetchIntervalInBackground: true,
  });
  const isConnected = isConnectedSince(data, before);
  useEffect(() => {
    if (isConnected) void queries.invalidateQueries({ queryKey: queryKeys.connections() });
  }, [isConnected, queries]);
  return isConnected;
}

async function readConnection(
  loci: Session['loci'],
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<Connection> {
  const params = { path: { connection_id: id } };
  return dataOf(loci.api.GET('/api/v1/connections/{connection_id}', { params, signal }));
}

/** The end of an authorization changes the connection; a refresh does so only when its status changes. */
function isConnectedSince(connection: Connection | undefined, before: string | undefined): boolean {
  if (connection === undefined || before === undefined || connection.credential_id === null) return false;
  const isWell = connection.status !== 'error' && connection.status !== 'expired';
  return isWell && Date.parse(connection.updated_at) > Date.parse(before);
}
