import type { ExecutionContext } from 'ava';
import { createTokenVerifier } from '../../security/bearer-tokens.ts';
import { openOwnApi, type OwnApi, type OwnSent } from './own-api.ts';
import { AUDIENCE, openTokenIssuer } from './token-issuer.ts';

const CLAIM = 'w';

export type TokenUsers = {
  api: OwnApi;
  workspaceId: string;
  /** Sends as a user of the workspace. */
  as: (sub: string, role: 'admin' | 'member') => (path: string, sent?: OwnSent) => ReturnType<OwnApi['send']>;
};

/** An API that takes tokens of users, with one workspace. Gone at the end of the test. */
export async function openWithUsers(t: ExecutionContext): Promise<TokenUsers> {
  const issuer = await openTokenIssuer(t);
  const keys = { jwksUrl: issuer.jwksUrl };
  const verifier = createTokenVerifier({ keys, issuer: issuer.issuer, audience: AUDIENCE });
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: CLAIM }, administratorToken: null },
  });
  const workspaceId = await api.services.stores.system.insertWorkspace('one');
  const as: TokenUsers['as'] =
    (sub, role) =>
    async (path, sent = {}) =>
      api.send(path, { ...sent, token: await issuer.issue({ sub, [CLAIM]: { [workspaceId]: role } }) });
  return { api, workspaceId, as };
}
