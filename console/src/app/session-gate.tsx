import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createBrowserClient, dataOf, LociError } from '@loci/client/browser';
import { queryKeys } from '../api/query-keys.ts';
import type { Permission } from '../api/permission.ts';
import { uploadStore } from '../uploads/upload-store.ts';
import { SignInPage } from './sign-in-page.tsx';
import { signOut } from './sign-out.ts';
import { type Session, SessionContext } from './session.tsx';
import { storedKey } from './stored-key.ts';
import { useSignInLink } from './use-sign-in-link.ts';

/** Retries of a request while the service is busy or restarts; then the page says so. */
const RETRIES = 2;

/** Shows its children to those who are signed in, and the page to sign in to all others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState(() => storedKey.read());
  const [refusal, setRefusal] = useState<Error | null>(null);
  const caller = useCaller(apiKey);

  const leave = useCallback(
    (reason: Error | null) => {
      storedKey.remove();
      setApiKey(null);
      setRefusal(reason);
      uploadStore.clear();
      queries.clear();
    },
    [queries],
  );
  useEndWithKey(apiKey, leave);

  const session = useMemo<Session | null>(() => {
    if (apiKey === null || caller.data === undefined) return null;
    return { ...caller.data, apiKey, signOut: () => signOut(caller.data.loci, () => leave(null), setRefusal) };
  }, [apiKey, caller.data, leave]);

  const signIn = (key: string) => {
    setRefusal(null);
    setApiKey(key);
  };
  const link = useSignInLink(signIn);
  if (session !== null) return <SessionContext value={session}>{children}</SessionContext>;
  return (
    <SignInPage
      error={caller.error ?? refusal ?? link.error}
      isWaiting={caller.isFetching || link.isPending}
      onSignIn={signIn}
      onRetry={() => void caller.refetch()}
    />
  );
}

/** Asks the service what this key may do, and remembers the key when it is accepted. */
function useCaller(apiKey: string | null) {
  return useQuery({
    queryKey: queryKeys.caller(apiKey ?? ''),
    enabled: apiKey !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const loci = createBrowserClient({ baseUrl: location.origin, apiKey: apiKey ?? '', retries: RETRIES });
      const access = await dataOf(loci.api.GET('/api/v1/me', { signal }));
      storedKey.write(apiKey ?? '');
      const { permissions, writable_collections: writable } = access;
      const may = (...needed: Permission[]) => needed.every((one) => permissions.includes(one));
      const mayChange = (collectionId: string, ...needed: Permission[]) =>
        may(...needed) && (writable === null || writable.includes(collectionId));
      return { loci, access, may, mayChange };
    },
  });
}

/** Signs out when the service no longer accepts the key: it was revoked, or has expired. */
function useEndWithKey(apiKey: string | null, leave: (reason: Error) => void): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (apiKey === null) return undefined;
    return queries.getQueryCache().subscribe(({ query }) => {
      const { error } = query.state;
      if (error instanceof LociError && error.status === 401) leave(error);
    });
  }, [apiKey, queries, leave]);
}
