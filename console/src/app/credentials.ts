/** What proves who is signed in: an API key, or the token of a user from the issuer. */
export type Credentials = KeyCredentials | TokenCredentials;

export type KeyCredentials = { kind: 'key'; apiKey: string };

export type TokenCredentials = {
  kind: 'token';
  /** Stays the same when the token is renewed. */
  id: string;
  token: string;
  refreshToken: string | null;
  /** Tells the issuer whose session is to end; null if it gave none. */
  idToken: string | null;
  /** Null: unknown. */
  expiresAtMs: number | null;
  /** Of those that the user is a member of; null: the only one, or not chosen yet. */
  workspaceId: string | null;
};

/** Two of the same identity see the same. */
export function identityOf(credentials: Credentials): string {
  return credentials.kind === 'key' ? credentials.apiKey : `${credentials.id} ${credentials.workspaceId ?? ''}`;
}

/** The headers that they are sent in. */
export function headersOf(credentials: Credentials): Record<string, string> {
  if (credentials.kind === 'key') return { 'X-API-Key': credentials.apiKey };
  const { token, workspaceId } = credentials;
  return {
    Authorization: `Bearer ${token}`,
    ...(workspaceId === null ? {} : { 'X-Workspace-Id': workspaceId }),
  };
}
