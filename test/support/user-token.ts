import { SignJWT, type JWTPayload } from 'jose';
import { testStack } from './stack.ts';

/** What a token may say otherwise than a good one. */
export type TokenOptions = {
  /** `{"<workspace>": "admin" | "member"}`. */
  workspaces?: Readonly<Record<string, 'admin' | 'member'>>;
  claims?: JWTPayload;
  secret?: string;
  expiresAt?: string | number;
  notBefore?: string | number;
};

/** A token of a user that the running API takes, unless these options are wrong. */
export async function userToken(sub: string, options: TokenOptions = {}): Promise<string> {
  const { environment } = testStack();
  const setting = (name: string) => environment[name] ?? '';
  const claims = {
    sub,
    iss: setting('LOCI_JWT_ISSUER'),
    aud: setting('LOCI_JWT_AUDIENCE'),
    workspaces: options.workspaces ?? {},
    ...options.claims,
  };
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setIssuedAt();
  token.setExpirationTime(options.expiresAt ?? '1h');
  if (options.notBefore !== undefined) token.setNotBefore(options.notBefore);
  return token.sign(new TextEncoder().encode(options.secret ?? setting('LOCI_JWT_SECRET')));
}

/** The headers of a user who acts in one workspace. */
export async function asUser(sub: string, role: 'admin' | 'member', workspaceId: string) {
  const token = await userToken(sub, { workspaces: { [workspaceId]: role } });
  return { Authorization: `Bearer ${token}`, 'X-Workspace-Id': workspaceId };
}
