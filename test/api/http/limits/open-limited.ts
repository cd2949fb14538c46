import type { ExecutionContext } from 'ava';
import type { RequestLimits } from '#api/http/request/request-limiter.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { Secret } from '#security/secret.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';

export const ADMIN_TOKEN = 'the-administrator-token-of-this-test-only';

export const NO_LIMITS: RequestLimits = { perCaller: 0, perWorkspace: 0, failuresPerAddress: 0 };

/** Runs an API with these limits, and a workspace whose key is `token`. */
export async function openLimited(t: ExecutionContext, requestLimits: Partial<RequestLimits>) {
  const api = await openOwnApi(t, {
    access: { users: null, administratorToken: new Secret(ADMIN_TOKEN) },
    requestLimits: { ...NO_LIMITS, ...requestLimits },
  });
  const answer = await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name: 'limited' } });
  const { api_key: key } = CreatedWorkspace.parse(answer.body);
  return { ...api, token: key.secret ?? '' };
}
