import { useEffect, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { createBrowserClient, dataOf } from '@loci/client/browser';
import type { Permission } from '../api/permission.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Schemas } from '../api/schemas.ts';
import { type Credentials, headersOf, identityOf } from './credentials.ts';
import { storedCredentials } from './stored-credentials.ts';

/** Retries of a request while the service is busy or restarts; then the page says so. */
const RETRIES = 2;

/**
 * Asks the service who this is and what they may do, and remembers the credentials when they are accepted. Asks anew in a tab that was
 * left for another one, because somebody else may have changed it meanwhile.
 */
export function useCaller(credentials: Credentials | null) {
  const client = useMemo(() => (credentials === null ? null : clientOf(credentials)), [credentials]);
  const caller = useQuery({
    queryKey: queryKeys.caller(credentials === null ? '' : identityOf(credentials)),
    enabled: client !== null,
    staleTime: Infinity,
    refetchOnWindowFocus: 'always',
    queryFn: async ({ signal }) => {
      if (client === null || credentials === null) throw new Error('Nobody is signed in.');
      const access = await dataOf(client.loci.api.GET('/api/v1/me', { signal }));
      return { access, ...permissionsOf(access) };
    },
  });
  const { data: accepted } = caller;
  useEffect(() => {
    // Not with the answer: it may be about a token that was renewed meanwhile.
    if (credentials !== null && accepted !== undefined) storedCredentials.write(credentials);
  }, [credentials, accepted]);
  return { client, caller };
}

function clientOf(credentials: Credentials) {
  const as =
    credentials.kind === 'key'
      ? { apiKey: credentials.apiKey }
      : { token: credentials.token, workspaceId: credentials.workspaceId ?? undefined };
  return {
    loci: createBrowserClient({ baseUrl: location.origin, isCurrent: true, retries: RETRIES, ...as }),
    headers: headersOf(credentials),
  };
}

function permissionsOf({ permissions, writable_collections: writable }: Schemas['CurrentCaller']) {
  const may = (...needed: Permission[]) => needed.every((one) => permissions.includes(one));
  const mayChange = (collectionId: string, ...needed: Permission[]) =>
    may(...needed) && (writable === null || writable.includes(collectionId));
  return { may, mayChange };
}
