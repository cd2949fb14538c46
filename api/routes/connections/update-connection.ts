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
      'Only fields that are sent change. New `credentials` replace the ones before as a whole, and make a connection that was `expired` or in `error` `active` again.',
    permission: 'connections:write',
    params: ConnectionParams,
    body: UpdateConnectionRequest,
    response: Connection,
    extension: true,
    examples: { body: { label: 'All repositories', status: 'inactive' } },
  },
  async ({ services, caller, params, body }) =>
    updateConnection(services, caller, { id: params.connection_id, fields: body }),
);
