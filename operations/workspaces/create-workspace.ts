import { v5, v7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { administratorCaller } from '#domain/access/caller.ts';
import type { CreatedWorkspace, CreateWorkspaceRequest } from '#domain/records/workspace.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';

/** Ids of workspaces by idempotency key are made in it. */
const NAMESPACE = 'b1d5c2a4-6f0e-5c3b-9a77-0d2f8e41c6a9';

/**
 * Makes a workspace with a first key, whose secret is in this answer and nowhere else. A workspace that does not exist yet
 * has no place to keep an answer, so with an idempotency key its id follows from that key.
 * @throws AppError `conflict` when the idempotency key made a workspace more than 24 hours ago, or one that was deleted.
 */
export async function createWorkspace(
  services: Services,
  request: { body: CreateWorkspaceRequest; idempotency: Idempotency | null },
): Promise<Answer<CreatedWorkspace>> {
  const { body, idempotency } = request;
  const id = idempotency === null ? v7() : v5(idempotency.key, NAMESPACE);
  const caller = administratorCaller(id);
  return withIdempotency(services, caller, {
    route: 'POST /workspaces',
    idempotency,
    effect: async (stores) => {
      const workspace = await stores.workspaces.insert(caller.scope, body.name);
      if (!workspace) {
        const message = 'This Idempotency-Key has made a workspace before; take a new key for a new workspace.';
        throw new AppError('conflict', message);
      }
      const { id: key, secret } = generateApiKey();
      const apiKey = await stores.apiKeys.insert(caller.scope, {
        key,
        hashedSecret: hashApiKey(secret, services.secrets.apiKeyPepper),
        label: 'first key',
        permissions: ['*'],
        collections: null,
        ip_whitelist: null,
        expires_at: null,
        createdBy: caller.principal,
      });
      return { status: 201, body: { ...workspace, api_key: { ...apiKey, secret } } };
    },
  });
}
