import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { LociError } from '@loci/client/browser';
import { queryKeys } from '../api/query-keys.ts';
import { sendUploadsAs } from '../uploads/run-uploads.ts';
import { uploadStore } from '../uploads/upload-store.ts';
import { ChooseWorkspace } from './choose-workspace.tsx';
import { type Credentials, identityOf, type TokenCredentials } from './credentials.ts';
import { useIssuerSignIn } from './oidc/use-issuer-sign-in.ts';
import { useIssuerSignOut } from './oidc/use-issuer-sign-out.ts';
import { type Renewal, useRenewal } from './oidc/use-renewal.ts';
import { SignInPage } from './sign-in-page.tsx';
import { signOut } from './sign-out.ts';
import { type Session, SessionContext } from './session.tsx';
import { storedCredentials } from './stored-credentials.ts';
import { useCaller } from './use-caller.ts';
import { useSignInLink } from './use-sign-in-link.ts';

/** Shows its children to those who are signed in, and the page to sign in to all others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { session, isSignedOut, signIn, chooseWorkspace, error, isWaiting, retry } = useSignedIn();
  const link = useSignInLink((apiKey) => signIn({ kind: 'key', apiKey }));
  const atIssuer = useIssuerSignIn({ isNeeded: isSignedOut, onToken: signIn });
  if (session === null) {
    return (
      <SignInPage
        error={error ?? link.error ?? atIssuer.error}
        isWaiting={isWaiting || link.isPending || atIssuer.isPending}
        onSignIn={(apiKey) => signIn({ kind: 'key', apiKey })}
        onRetry={retry}
        issuer={atIssuer.issuer === null ? null : { name: atIssuer.issuer.issuer, go: atIssuer.go }}
      />
    );
  }
  const { loci, access } = session;
  if (access.workspace_id !== null) return <SessionContext value={session}>{children}</SessionContext>;
  return (
    <ChooseWorkspace loci={loci} ids={access.workspace_ids} onChoose={chooseWorkspace} onSignOut={session.signOut} />
  );
}

/** Who is signed in in this tab, and how that changes. */
function useSignedIn() {
  const queries = useQueryClient();
  const [credentials, setCredentials] = useState(() => storedCredentials.read());
  const [refusal, setRefusal] = useState<Error | null>(null);
  const { client, caller } = useCaller(credentials);
  const leave = useCallback(
    (reason: Error | null) => {
      storedCredentials.remove();
      setCredentials(null);
      setRefusal(reason);
      uploadStore.clear();
      queries.clear();
    },
    [queries],
  );
  const renewal = useRenewal(credentials, { onToken: useRenewed(setCredentials), onFailure: leave });
  useEndWithCredentials(credentials, { leave, replace: renewal.replace });
  useAskAfterRefusal();
  const chooseWorkspace = useCallback(
    (workspaceId: string | null) => {
      // What was loaded is of the workspace before.
      uploadStore.clear();
      queries.clear();
      setCredentials((now) => (now?.kind === 'token' ? { ...now, workspaceId } : now));
    },
    [queries],
  );
  const { revoke, atIssuer } = useIssuerSignOut(credentials);
  const session = useMemo<Session | null>(() => {
    if (client === null || caller.data === undefined) return null;
    const { workspace_ids: workspaces, api_key: key } = caller.data.access;
    return {
      ...client,
      ...caller.data,
      changeWorkspace: key === null && workspaces.length > 1 ? () => chooseWorkspace(null) : null,
      signOut: () => {
        void revoke();
        signOut(client.loci, () => leave(null), setRefusal);
      },
      signOutAtIssuer:
        atIssuer === null
          ? null
          : {
              host: atIssuer.host,
              go: () => {
                leave(null);
                void revoke().then(atIssuer.endSession).catch(setRefusal);
              },
            },
    };
  }, [client, caller.data, chooseWorkspace, leave, revoke, atIssuer]);
  const headers = session?.headers ?? null;
  useEffect(() => sendUploadsAs(headers), [headers]);
  const signIn = (given: Credentials) => {
    if (credentials !== null && identityOf(credentials) !== identityOf(given)) {
      // What was loaded, and is being uploaded, may be of somebody else: every sign-in link leads to a key of its own.
      uploadStore.clear();
      queries.clear();
    }
    setRefusal(null);
    setCredentials(given);
  };
  return {
    session,
    isSignedOut: credentials === null,
    signIn,
    chooseWorkspace,
    error: renewal.isPending ? null : (caller.error ?? refusal),
    isWaiting: caller.isFetching || renewal.isPending,
    retry: credentials === null ? null : () => void caller.refetch(),
  };
}

/** Takes a token that was renewed. What was asked with one that was refused is asked again with it. */
function useRenewed(setCredentials: (renewed: TokenCredentials) => void) {
  const queries = useQueryClient();
  const [recoveries, setRecoveries] = useState(0);
  useEffect(() => {
    // Queries of the present token are known now. Those on their way would be refused, too.
    if (recoveries > 0) void queries.cancelQueries().then(async () => queries.invalidateQueries());
  }, [recoveries, queries]);
  return useCallback(
    (renewed: TokenCredentials, wasRefused: boolean) => {
      storedCredentials.write(renewed);
      setCredentials(renewed);
      if (wasRefused) setRecoveries((before) => before + 1);
    },
    [setCredentials],
  );
}

/** Asks anew what the caller may do when the service says that they may not do something: what the page offers was out of date. */
function useAskAfterRefusal(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const askAfter = (error: unknown) => {
      if (!(error instanceof LociError && error.status === 403)) return;
      void queries.invalidateQueries({ queryKey: queryKeys.caller() }, { cancelRefetch: false });
    };
    const stopQueries = queries.getQueryCache().subscribe((event) => {
      const isOfCaller = event.query.queryKey[0] === queryKeys.caller()[0];
      if (event.type === 'updated' && event.action.type === 'error' && !isOfCaller) askAfter(event.action.error);
    });
    const stopMutations = queries.getMutationCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') askAfter(event.action.error);
    });
    return () => {
      stopQueries();
      stopMutations();
    };
  }, [queries]);
}

type Endings = { leave: (reason: Error) => void; replace: Renewal['replace'] };

/** Signs out when the service no longer accepts the credentials: a key was revoked, or they have expired and cannot be replaced. */
function useEndWithCredentials(credentials: Credentials | null, { leave, replace }: Endings): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (credentials === null) return undefined;
    return queries.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'error') return;
      const { error } = event.query.state;
      if (error instanceof LociError && error.status === 401 && !replace(error)) leave(error);
    });
  }, [credentials, queries, leave, replace]);
}
