import { z } from 'zod';
import { AnyObject, CreatedAt, CreatedBy, Id, JsonObject, textField, UpdatedAt, WorkspaceId } from './fields.ts';

export const INTEGRATION_TYPES = ['connectors', 'mcp', 'tool', 'model', 'custom', 'storage', 'api'] as const;
export const CONNECTION_STATUSES = ['active', 'inactive', 'testing', 'error', 'expired'] as const;
/** Statuses that clients may set; the service sets the others from the state of the credentials. */
const SETTABLE_CONNECTION_STATUSES = ['active', 'inactive', 'testing'] as const;

const Label = textField(255).meta({ description: 'Human-readable name of the connection.' });
const Config = JsonObject.meta({ description: 'Settings of the integration. Put secrets into `credentials`.' });
const Credentials = JsonObject.meta({
  description: 'Secrets of the integration, as a JSON object. They are stored encrypted and returned masked.',
});

/** A connection in API responses. */
export const Connection = z
  .object({
    id: Id.meta({ description: 'Id of the connection.' }),
    integration: z.string().meta({ description: 'Name of the integration, such as `github`.' }),
    integration_type: z.enum(INTEGRATION_TYPES).meta({ description: 'Kind of the integration.' }),
    credential_id: Id.nullable().meta({ description: 'Id of the stored credentials; null without any.' }),
    user_id: z
      .string()
      .nullable()
      .meta({ description: 'User to whom the connection belongs; null when it belongs to the workspace.' }),
    workspace_id: WorkspaceId,
    created_by: CreatedBy,
    status: z.enum(CONNECTION_STATUSES).meta({
      description:
        '`expired`: the authorization ended and must be renewed. `error`: a refresh failed for a reason that only a person can mend. The other statuses are set by clients.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    label: z.string().nullable().meta({ description: 'Name of the connection for people.' }),
    config: AnyObject.meta({ description: 'Settings of the integration, without secrets.' }),
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof Connection>;

/** A connection with its credentials, if `include_credentials` is set. */
export const ConnectionDetail = Connection.extend({
  credentials: AnyObject.nullable().optional().meta({
    description:
      'Present only with `include_credentials`. Values are masked unless the caller has the permission `connections:reveal`.',
    'x-loci-extension': true,
  }),
}).meta({ id: 'ConnectionDetail' });
export type ConnectionDetail = z.infer<typeof ConnectionDetail>;

export const CreateConnectionRequest = z
  .strictObject({
    integration: textField(100, 1).meta({ description: 'Name of the integration.' }),
    integration_type: z.enum(INTEGRATION_TYPES).meta({ description: 'Kind of the integration.' }),
    label: Label.nullable()
      .default(null)
      .meta({ description: 'Name of the connection for people, at most 255 characters.' }),
    config: Config.default({}),
    user_id: textField(255, 1).optional().meta({ description: 'User to whom the connection belongs.' }),
    credentials: Credentials.optional(),
    status: z.enum(SETTABLE_CONNECTION_STATUSES).default('active').meta({ description: 'Status to start with.' }),
  })
  .meta({ id: 'CreateConnectionRequest' });
export type CreateConnectionRequest = z.infer<typeof CreateConnectionRequest>;

/** Fields that are absent stay unchanged. */
export const UpdateConnectionRequest = z
  .strictObject({
    label: Label.nullable()
      .optional()
      .meta({ description: 'Name of the connection for people, at most 255 characters; null removes it.' }),
    config: Config.optional(),
    status: z
      .enum(SETTABLE_CONNECTION_STATUSES)
      .optional()
      .meta({ description: 'New status. New credentials alone set `expired` and `error` back to `active`.' }),
    credentials: Credentials.optional(),
  })
  .meta({ id: 'UpdateConnectionRequest' });
export type UpdateConnectionRequest = z.infer<typeof UpdateConnectionRequest>;
