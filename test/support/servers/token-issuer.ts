import type { ExecutionContext } from 'ava';
import { OAuth2Server } from 'oauth2-mock-server';

export const AUDIENCE = 'loci-tests';

export type Claims = Readonly<Record<string, unknown>>;

export type TokenIssuer = {
  issuer: string;
  jwksUrl: string;
  server: OAuth2Server;
  /** Signs a token. Claims that are `undefined` are omitted. */
  issue(claims?: Claims, options?: { kid?: string }): Promise<string>;
};

/** Starts a real OAuth issuer with one RSA key on a free port. Stops at the end of the test. */
export async function openTokenIssuer(t: ExecutionContext): Promise<TokenIssuer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  t.teardown(() => (server.listening ? server.stop() : undefined));
  const issuer = server.issuer.url ?? '';
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    server,
    issue: (claims = {}, options = {}) =>
      server.issuer.buildToken({
        ...(options.kid === undefined ? {} : { kid: options.kid }),
        scopesOrTransform: (_header, payload) => {
          Object.assign(payload, { aud: AUDIENCE, sub: 'ada' }, claims);
        },
      }),
  };
}
