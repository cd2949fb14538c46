import type { CurrentCaller } from '#domain/records/access/current-caller.ts';
import type { SignedIn } from '#domain/records/access/sign-in.ts';
import { EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import type { OperationExample } from './operation-example.ts';

const caller: CurrentCaller = {
  principal: EXAMPLE_KEY,
  user_id: null,
  workspace_id: exampleIds.workspace,
  workspace_ids: [exampleIds.workspace],
  permissions: ['collections:read', 'contents:read'],
  collections: [exampleIds.collection],
  writable_collections: [exampleIds.collection],
  is_operator: false,
  api_key: {
    id: exampleIds.apiKey,
    label: 'search page',
    expires_at: null,
    max_key_expires_at: null,
    last_used_at: UPDATED,
  },
};

const signedIn: SignedIn = {
  api_key: 'loci_m3Qd7TtYVb2c_XgNuiWHm8LuW64rk5fPevxBkDwHffvoPODENfqJAS8k12IqXZ',
  workspace_id: exampleIds.workspace,
  expires_at: '2026-03-02T21:15:00.000Z',
};

/** Examples of the operations about the caller itself. */
export const accessExamples = {
  getCurrentCaller: { response: caller },
  getSignInMethods: {
    response: {
      api_key: true,
      oidc: { issuer: 'https://login.example.com', client_id: 'loci-console', scopes: ['openid'], parameters: {} },
    },
  },
  signIn: { body: { code: 'uL3f0gkYh5zq6cVQm1xKc0F2v8wS4tR7nB9dJ3eA5hM' }, response: signedIn },
  signOut: { response: { revoked: true } },
} satisfies Record<string, OperationExample>;
