import { z } from 'zod';
import { CONNECTION_STATUSES, ConnectionList, INTEGRATION_TYPES } from '#domain/records/connection.ts';
import { textField } from '#domain/records/fields.ts';
import { listConnections } from '#operations/connections/connections.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  integration: textField(100).optional().meta({ description: 'Integration of the connections.' }),
  integration_type: z.enum(INTEGRATION_TYPES).optional().meta({ description: 'Kind of the integration.' }),
  status: z.enum(CONNECTION_STATUSES).optional().meta({ description: 'Status of the connections.' }),
  user_id: textField(255).optional().meta({ description: 'User to whom the connections belong.' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

export const listConnectionsRoute = route(
  {
    method: 'get',
    path: '/connections',
    tag: 'Connections',
    summary: 'List connections',
    description:
      'Lists connections without credentials. Members see their own; administrators and API keys see all of the workspace.',
    permission: 'connections:read',
    query: Query,
    response: ConnectionList,
    extension: true,
  },
  async ({ services, caller, query }) => listConnections(services, caller, query),
);
