import { z } from 'zod';
import { removeMember } from '#operations/workspaces/members.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { MemberParams } from '#api/routes/path-params.ts';

export const removeMemberRoute = administrationRoute(
  {
    method: 'delete',
    path: '/workspaces/{workspace_id}/members/{user_id}',
    tag: 'Workspaces',
    summary: 'Remove a member',
    description:
      'From the next request, the user reaches the workspace only if its token claims it. What the user created stays. 403 for ' +
      'a role with more permissions than the caller.',
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: MemberParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, principal, params }) => {
    await removeMember(services, callerInWorkspace(principal, params.workspace_id), params.user_id);
    return Reply.noContent();
  },
);
