import { Connection, UpdateConnectionRequest } from '#domain/records/connection.ts';
import { updateConnection } from '#operations/connections/update-connection.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const updateConnectionRoute = route(
  {
    method: 'patch',
    path: '/connections/{connection_id}',
    tag: 'Connections',
    summary: 'Update a connection',
    description:
      'Changes only the fields that are sent. New `credentials` replace the previous ones as a whole and set a connection that is `expired` or in `error` back to `active`.',
    permission: 'connections:write',
    params: ConnectionParams,
    body: UpdateConnectionRequest,
    response: Connection,
    extension: true,
  },
  async ({ services, caller, params, body }) =>
    updateConnection(services, caller, { id: params.connection_id, fields: body }),
);
