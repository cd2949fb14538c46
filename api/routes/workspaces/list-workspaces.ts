import { WorkspaceList } from '#domain/records/workspace.ts';
import { listWorkspaces } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { PageQuery } from './workspace-params.ts';

export const listWorkspacesRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces',
    tag: 'Workspaces',
    summary: 'List workspaces',
    description: 'Those that the key or the user reaches; with the administrator token all of them.',
    permission: 'workspaces:read',
    administration: 'too',
    anyWorkspace: true,
    query: PageQuery,
    response: WorkspaceList,
    extension: true,
  },
  async ({ services, asker, query }) => listWorkspaces(services, asker, query),
);
