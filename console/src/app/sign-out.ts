import { type BrowserClient, dataOf, LociError } from '@loci/client/browser';

/**
 * Leaves the session, and has the service revoke the key if a sign-in link gave it to this tab: the service knows which keys those
 * are, and leaves others as they are. The request goes on while the tab is being closed.
 * @param onFailure is told why the service could not be asked; somebody may have signed in again by then
 */
export function signOut(loci: BrowserClient, leave: () => void, onFailure: (error: Error) => void): void {
  leave();
  dataOf(loci.api.DELETE('/api/v1/sign-in', { keepalive: true })).catch((error: Error) => {
    // With 401, it was revoked or has expired before.
    if (!(error instanceof LociError && error.status === 401)) onFailure(error);
  });
}
