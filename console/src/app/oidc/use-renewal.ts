import { useCallback, useEffect, useRef, useState } from 'react';
import type { Credentials, TokenCredentials } from '../credentials.ts';
import { useSignInMethods } from './use-issuer-sign-in.ts';

/** Before a token expires; clocks differ. */
const AHEAD_MS = 60_000;
const MIN_WAIT_MS = 5_000;
/** The longest that a browser's timer takes. */
const MAX_WAIT_MS = 2_147_483_647;

export type RenewalEvents = {
  /** `wasRefused`: the service has refused the one before. */
  onToken: (renewed: TokenCredentials, wasRefused: boolean) => void;
  /** There is no other token for one that was refused. */
  onFailure: (refusal: Error) => void;
};

export type Renewal = {
  /** While another token is fetched for one that was refused. */
  isPending: boolean;
  /** Has another token fetched instead of one that has expired, as in a tab that slept. False where that cannot help. */
  replace: (refusal: Error) => boolean;
};

/**
 * Gets another token before the present one expires, where the issuer gave a refresh token, and tries again until then when that
 * fails. Without a refresh token, people sign in again.
 */
export function useRenewal(credentials: Credentials | null, { onToken, onFailure }: RenewalEvents): Renewal {
  const renewable = credentials?.kind === 'token' && credentials.refreshToken !== null ? credentials : null;
  const methods = useSignInMethods(renewable !== null);
  const issuer = methods.data?.oidc ?? null;
  const [refused, setRefused] = useState<{ token: string; refusal: Error } | null>(null);
  const refusal = renewable !== null && refused?.token === renewable.token ? refused.refusal : null;
  const running = useRef<{ token: string; renewed: Promise<TokenCredentials> } | null>(null);
  useEffect(() => {
    if (renewable?.expiresAtMs == null || issuer === null) {
      if (refusal !== null && !methods.isPending) onFailure(refusal);
      return undefined;
    }
    const { token, expiresAtMs } = renewable;
    const waitMs = refusal === null ? Math.max(expiresAtMs - Date.now() - AHEAD_MS, MIN_WAIT_MS) : 0;
    let isOver = false;
    const renew = async () => {
      // A refresh token may work once only.
      if (running.current?.token !== token) {
        const renewed = import('./go-to-issuer.ts').then(({ renewToken }) => renewToken(issuer, renewable));
        running.current = { token, renewed };
      }
      try {
        const renewed = await running.current.renewed;
        // Another workspace may have been chosen meanwhile.
        if (!isOver) onToken({ ...renewed, workspaceId: renewable.workspaceId }, refusal !== null);
      } catch {
        running.current = null;
        if (isOver) return;
        if (refusal !== null) onFailure(refusal);
        // Later, it shows itself when the service refuses the expired token.
        else if (Date.now() + MIN_WAIT_MS < expiresAtMs) timer = setTimeout(() => void renew(), MIN_WAIT_MS);
      }
    };
    let timer = setTimeout(() => void renew(), Math.min(waitMs, MAX_WAIT_MS));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [renewable, issuer, refusal, methods.isPending, onToken, onFailure]);
  const replace = useCallback(
    (why: Error) => {
      if (renewable?.expiresAtMs == null || renewable.expiresAtMs > Date.now()) return false;
      setRefused({ token: renewable.token, refusal: why });
      return true;
    },
    [renewable],
  );
  return { isPending: refusal !== null, replace };
}
