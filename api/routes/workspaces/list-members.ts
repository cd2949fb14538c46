import { WorkspaceMemberList } from '#domain/records/workspace.ts';
import { listMembers } from '#operations/workspaces/members.ts';
import { actingIn } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { PageQuery, WorkspaceParams } from './workspace-params.ts';

export const listMembersRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces/{workspace_id}/members',
    tag: 'Workspaces',
    summary: 'List members',
    description: 'Those that were added here; users whose tokens claim the workspace are not listed.',
    permission: 'workspaces:read',
    administration: 'too',
    params: WorkspaceParams,
    query: PageQuery,
    response: WorkspaceMemberList,
    extension: true,
  },
  async ({ services, asker, params, query }) => listMembers(services, actingIn(asker, params.workspace_id), query),
);
