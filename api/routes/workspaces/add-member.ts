import { AddMemberRequest, WorkspaceMember } from '#domain/records/workspace.ts';
import { addMember } from '#operations/workspaces/members.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const addMemberRoute = administrationRoute(
  {
    method: 'post',
    path: '/workspaces/{workspace_id}/members',
    tag: 'Workspaces',
    summary: 'Add a member',
    description:
      'Gives a user, identified by the `sub` of its tokens, a role in the workspace, or changes the role. An `admin` may do ' +
      'everything; a `member` reads public collections and its own, and changes its own. 403 for a role with more permissions ' +
      'than the caller, and for a key that expires or is valid from some addresses only.',
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    body: AddMemberRequest,
    response: WorkspaceMember,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, principal, params, body, idempotency }) => {
    const answer = await addMember(services, callerInWorkspace(principal, params.workspace_id), { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
