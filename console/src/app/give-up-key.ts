import { type BrowserClient, dataOf, LociError } from '@loci/client/browser';

/**
 * Has the service revoke the key if a sign-in link gave it to this tab; it knows which keys those are, and leaves others as they
 * are. Goes on while the tab is being closed.
 * @throws Error when the service could not be asked
 */
export async function giveUpKey(loci: BrowserClient): Promise<void> {
  try {
    await dataOf(loci.api.DELETE('/api/v1/sign-in', { keepalive: true }));
  } catch (error) {
    // It was revoked or has expired before.
    if (!(error instanceof LociError && error.status === 401)) throw error;
  }
}
