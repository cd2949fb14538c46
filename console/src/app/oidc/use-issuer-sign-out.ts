import { useCallback, useMemo } from 'react';
import type { Credentials, TokenCredentials } from '../credentials.ts';
import { explained, useIssuer } from './use-issuer-sign-in.ts';

export type IssuerSignOut = {
  /** The name of its host. */
  host: string;
  /** Ends the session at the issuer too, which leads away from the console. @throws PlainError which says why it does not */
  endSession: () => Promise<void>;
};

/** How a user leaves the issuer: `revoke` takes back what the tab has; `endsSession` is null for those with an API key. */
export function useIssuerSignOut(credentials: Credentials | null) {
  const token: TokenCredentials | null = credentials?.kind === 'token' ? credentials : null;
  const issuer = useIssuer(token !== null);
  const revoke = useCallback(async () => {
    if (issuer === null || token === null) return;
    // It expires by itself: an issuer that does not answer keeps nobody from leaving.
    await (await import('./end-session-at-issuer.ts')).revokeAtIssuer(issuer, token).catch(() => undefined);
  }, [issuer, token]);
  const atIssuer = useMemo<IssuerSignOut | null>(() => {
    if (issuer === null || token === null) return null;
    return {
      host: new URL(issuer.issuer).host,
      endSession: async () =>
        explained(issuer, async () => (await import('./end-session-at-issuer.ts')).endSessionAtIssuer(issuer, token)),
    };
  }, [issuer, token]);
  return { revoke, atIssuer };
}
