import { WorkspaceWebhookSecret } from '#domain/records/webhook.ts';
import { getWorkspaceWebhookSecret, rotateWorkspaceWebhookSecret } from '#operations/webhooks/webhook-secrets.ts';
import { getWorkspace } from '#operations/workspaces/workspaces.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const getWebhookSecretRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces/{workspace_id}/webhook-secret',
    tag: 'Webhooks',
    summary: 'Get the webhook secret of a workspace',
    description:
      'Verifies the webhooks that are sent to the `webhook_url` of a request. Also requires `compress:read`, to read what they report.',
    permission: 'webhooks:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: WorkspaceWebhookSecret,
    extension: true,
  },
  async ({ services, principal, params }) => {
    const caller = callerInWorkspace(principal, params.workspace_id);
    await getWorkspace(services, caller);
    return getWorkspaceWebhookSecret(services, caller);
  },
);

export const rotateWebhookSecretRoute = administrationRoute(
  {
    method: 'post',
    path: '/workspaces/{workspace_id}/webhook-secret/rotate',
    tag: 'Webhooks',
    summary: 'Rotate the webhook secret of a workspace',
    description:
      'For 24 hours, webhooks are signed with the previous secret as well. Also requires `compress:read`, to read what they report.',
    permission: 'webhooks:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: WorkspaceWebhookSecret,
    extension: true,
    idempotent: true,
  },
  async ({ services, principal, params, idempotency }) => {
    const caller = callerInWorkspace(principal, params.workspace_id);
    await getWorkspace(services, caller);
    const { status, body } = await rotateWorkspaceWebhookSecret(services, caller, idempotency);
    return Reply.json(body, { status });
  },
);
