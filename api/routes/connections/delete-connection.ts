import { z } from 'zod';
import { deleteConnection } from '#operations/connections/delete-connection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const deleteConnectionRoute = route(
  {
    method: 'delete',
    path: '/connections/{connection_id}',
    tag: 'Connections',
    summary: 'Delete a connection',
    description: 'Deletes the connection and its credentials immediately.',
    permission: 'connections:delete',
    params: ConnectionParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await deleteConnection(services, caller, params.connection_id);
    return Reply.noContent();
  },
);
