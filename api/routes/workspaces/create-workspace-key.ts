import { ApiKey, CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { createApiKey } from '#operations/access/api-keys.ts';
import { getWorkspace } from '#operations/workspaces/workspaces.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const createWorkspaceKeyRoute = administrationRoute(
  {
    method: 'post',
    path: '/workspaces/{workspace_id}/api-keys',
    tag: 'Workspaces',
    summary: 'Create an API key of a workspace',
    description:
      'Like `POST /api-keys`. With the administrator token it restores access to a workspace whose last key was revoked or ' +
      'lost.',
    permission: 'api-keys:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    body: CreateApiKeyRequest,
    response: ApiKey,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, principal, params, body, idempotency }) => {
    const caller = callerInWorkspace(principal, params.workspace_id);
    await getWorkspace(services, caller);
    const answer = await createApiKey(services, caller, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
