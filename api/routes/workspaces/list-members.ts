import { WorkspaceMemberList } from '#domain/records/workspace.ts';
import { listMembers } from '#operations/workspaces/members.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { administrationRoute } from '#api/http/route.ts';
import { PageQuery } from './page-query.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const listMembersRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces/{workspace_id}/members',
    tag: 'Workspaces',
    summary: 'List members',
    description: 'Members that were added with this API; users whose tokens claim the workspace are not listed.',
    permission: 'workspaces:read',
    administrator: 'allowed',
    params: WorkspaceParams,
    query: PageQuery,
    response: WorkspaceMemberList,
    extension: true,
  },
  async ({ services, principal, params, query }) =>
    listMembers(services, callerInWorkspace(principal, params.workspace_id), query),
);
