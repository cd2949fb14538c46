import type { Credentials, TokenCredentials } from './credentials.ts';

const KEY_NAME = 'loci.api-key';
const TOKEN_NAME = 'loci.token';

/** What a tab is signed in with, kept for this tab only: the browser forgets it with the tab. */
export const storedCredentials = {
  read(): Credentials | null {
    const token = sessionStorage.getItem(TOKEN_NAME);
    // Nothing but `write` writes it.
    if (token !== null) return JSON.parse(token) as TokenCredentials;
    const apiKey = sessionStorage.getItem(KEY_NAME);
    return apiKey === null ? null : { kind: 'key', apiKey };
  },
  write(credentials: Credentials): void {
    // Those of another identity would be read the next time.
    storedCredentials.remove();
    if (credentials.kind === 'key') sessionStorage.setItem(KEY_NAME, credentials.apiKey);
    else sessionStorage.setItem(TOKEN_NAME, JSON.stringify(credentials));
  },
  remove(): void {
    sessionStorage.removeItem(KEY_NAME);
    sessionStorage.removeItem(TOKEN_NAME);
  },
};
