import { z } from 'zod';
import { ConnectionDetail } from '#domain/records/connection.ts';
import { getConnection } from '#operations/connections/connections.ts';
import { queryBoolean } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

const Query = z.object({
  include_credentials: queryBoolean()
    .default(false)
    .meta({ description: 'Include credential information: masked, unless the caller has `connections:reveal`' }),
});

export const getConnectionRoute = route(
  {
    method: 'get',
    path: '/connections/{connection_id}',
    tag: 'Connections',
    summary: 'Get connection',
    permission: 'connections:read',
    params: ConnectionParams,
    query: Query,
    response: ConnectionDetail,
  },
  async ({ services, caller, params, query }) =>
    getConnection(services, caller, { id: params.connection_id, includeCredentials: query.include_credentials }),
);
