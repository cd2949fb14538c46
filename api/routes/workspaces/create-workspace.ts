import { CreatedWorkspace, CreateWorkspaceRequest } from '#domain/records/workspace.ts';
import { createWorkspace } from '#operations/workspaces/create-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';

export const createWorkspaceRoute = administrationRoute(
  {
    method: 'post',
    path: '/workspaces',
    tag: 'Workspaces',
    summary: 'Create a workspace',
    description:
      'Needs the administrator token. The response has a first API key with every permission, whose `secret` is not shown ' +
      'again.',
    permission: 'workspaces:write',
    administrator: 'required',
    workspaceOptional: true,
    body: CreateWorkspaceRequest,
    response: CreatedWorkspace,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, body, idempotency }) => {
    const answer = await createWorkspace(services, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
