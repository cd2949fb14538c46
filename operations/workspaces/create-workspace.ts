import { v5, v7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { administratorCaller } from '#domain/access/caller.ts';
import type { CreatedWorkspace, CreateWorkspaceRequest } from '#domain/records/workspace.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';

/** UUID namespace of the workspace ids that are derived from idempotency keys. */
const NAMESPACE = 'b1d5c2a4-6f0e-5c3b-9a77-0d2f8e41c6a9';

/**
 * Creates a workspace with a first API key, whose secret is in this response only. Stored responses belong to a workspace, and
 * this one does not exist yet; so with an idempotency key, the workspace id is derived from the key.
 * @throws AppError `conflict` when the idempotency key created a workspace more than 24 hours ago, or one that was deleted.
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
        const message = 'This Idempotency-Key has already created a workspace; use a new key for a new workspace.';
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
