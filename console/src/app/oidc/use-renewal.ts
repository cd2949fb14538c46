import { useEffect } from 'react';
import type { Credentials, TokenCredentials } from '../credentials.ts';
import { useIssuer } from './use-issuer-sign-in.ts';

/** Before a token expires; clocks differ. */
const AHEAD_MS = 60_000;
const MIN_WAIT_MS = 5_000;
/** The longest that a browser's timer takes. */
const MAX_WAIT_MS = 2_147_483_647;

/** Gets another token before the present one expires, where the issuer gave a refresh token. Without one, people sign in again. */
export function useRenewal(credentials: Credentials | null, onToken: (renewed: TokenCredentials) => void): void {
  const renewable = credentials?.kind === 'token' && credentials.refreshToken !== null ? credentials : null;
  const issuer = useIssuer(renewable !== null);
  useEffect(() => {
    if (renewable?.expiresAtMs == null || issuer === null) return undefined;
    const waitMs = Math.max(renewable.expiresAtMs - Date.now() - AHEAD_MS, MIN_WAIT_MS);
    let isOver = false;
    const renew = async () => {
      const renewed = await (await import('./go-to-issuer.ts')).renewToken(issuer, renewable);
      if (!isOver) onToken(renewed);
    };
    // A failure shows itself when the service refuses the expired token.
    const timer = setTimeout(() => void renew().catch(() => undefined), Math.min(waitMs, MAX_WAIT_MS));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [renewable, issuer, onToken]);
}
