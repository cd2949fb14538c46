import { RefreshState } from '#domain/records/oauth.ts';
import { getRefreshState } from '#operations/connections/get-refresh-state.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const getRefreshStateRoute = route(
  {
    method: 'get',
    path: '/oauth/refresh/{connection_id}',
    tag: 'OAuth',
    summary: 'Get the token state of a connection',
    description:
      'Returns when the tokens expire, when they are refreshed automatically, and why the last refresh failed.',
    permission: 'connections:read',
    params: ConnectionParams,
    response: RefreshState,
    extension: true,
  },
  async ({ services, caller, params }) => getRefreshState(services, caller, params.connection_id),
);
