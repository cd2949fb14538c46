import { z } from 'zod';
import { NEXT_PAGE, TotalCount } from './cursor-list.ts';
import { KNOWN_PERMISSIONS, PERMISSION_ACTIONS, PERMISSIONED_RESOURCES } from '#domain/access/caller.ts';
import { API_KEY_STATUSES } from '#domain/statuses.ts';
import { CreatedAt, CreatedBy, Id, IsoTime, IsoTimeInput, textField, UpdatedAt, WorkspaceId } from './fields.ts';

/** The name of a permission, in the OpenAPI document. */
export const PERMISSION_META = {
  id: 'Permission',
  enum: [...KNOWN_PERMISSIONS],
  description:
    '`<resource>:<action>`, `connections:reveal` (secrets of connections in plain text), or `*` for everything. The description of ' +
    'an operation names the permission that it requires; later versions may add permissions.',
};

/** An API key in API responses. */
export const ApiKey = z
  .object({
    id: Id.meta({ description: 'Id of the record. It is not a secret.' }),
    key: z.string().meta({ description: 'Public part of the key, between `loci_` and the secret.' }),
    label: z.string().nullable().meta({ description: 'Name that people recognise the key by.' }),
    workspace_id: WorkspaceId,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    hashed_secret: z.string().meta({ description: 'Keyed hash of the secret. It cannot be used as a key.' }),
    secret: z
      .string()
      .nullable()
      .meta({ description: 'The complete key. Returned once, in the response that creates the key; otherwise null.' }),
    status: z.enum(API_KEY_STATUSES).meta({
      description: '`expired` follows from `expires_at`; `revoked` is final. Only an `active` key can be used.',
    }),
    last_used_at: IsoTime.nullable().meta({ description: 'Time of the last use, accurate to about one minute.' }),
    expires_at: IsoTime.nullable().meta({
      description: 'Time from which the key is no longer accepted; null for a key that does not expire.',
    }),
    permissions: z.array(z.string().meta(PERMISSION_META)).meta({
      description: 'What the key may do: `<resource>:<action>`, `connections:reveal`, or `*` for everything.',
    }),
    ip_whitelist: z
      .array(z.string())
      .nullable()
      .meta({ description: 'IP addresses and CIDR ranges from which the key can be used; null means any address.' }),
    collections: z.array(Id).nullable().meta({
      description: 'The only collections that the key can access; null means every collection of its workspace.',
    }),
    created_by: CreatedBy,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

const MAX_LISTED = 1000;

const label = textField(255, 1).nullable();
const UNKNOWN_PERMISSION =
  `Is not a permission. Use \`*\`, \`connections:reveal\`, or \`<resource>:<action>\` with one of the actions ` +
  `${PERMISSION_ACTIONS.join(', ')} and one of the resources ${PERMISSIONED_RESOURCES.join(', ')}.`;
const permissions = z
  .array(
    z
      .string()
      .refine((text) => KNOWN_PERMISSIONS.includes(text), {
        error: UNKNOWN_PERMISSION,
        params: { type: 'unknown_permission' },
      })
      .meta(PERMISSION_META),
  )
  .min(1)
  .max(KNOWN_PERMISSIONS.length)
  .transform((list) => [...new Set(list)])
  .meta({ description: 'What the key may do. `*` stands for all permissions.' });
// An empty list could mean "none" or "all", so it is rejected.
const collections = z
  .array(Id)
  .min(1)
  .max(MAX_LISTED)
  .transform((list) => [...new Set(list)])
  .nullable()
  .meta({ description: 'The only collections that the key can access; null means every collection.' });
const ipWhitelist = z.array(z.string().max(100)).min(1).max(MAX_LISTED).nullable().meta({
  description: 'IPv4 or IPv6 addresses and CIDR ranges from which the key can be used; null means any address.',
});
const expiresAt = IsoTimeInput.nullable().meta({
  description: 'Time at which the key expires, as ISO 8601 date-time, in UTC when it has no offset; null means never.',
});

export const CreateApiKeyRequest = z
  .strictObject({
    label: label.default(null).meta({ description: 'Name that people recognise the key by, at most 255 characters.' }),
    permissions,
    collections: collections.optional(),
    ip_whitelist: ipWhitelist.optional(),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'CreateApiKeyRequest' });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const UpdateApiKeyRequest = z
  .strictObject({
    label: label
      .optional()
      .meta({ description: 'Name that people recognise the key by, at most 255 characters; null removes it.' }),
    permissions: permissions.optional(),
    collections: collections.optional(),
    ip_whitelist: ipWhitelist.optional(),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'UpdateApiKeyRequest' });
export type UpdateApiKeyRequest = z.infer<typeof UpdateApiKeyRequest>;

export const ApiKeyList = z
  .object({
    data: z.array(ApiKey).meta({ description: 'Keys of the workspace, oldest first.' }),
    total_count: TotalCount,
    page: z.int().meta({ description: 'Number of this page, from 1, with pages of `limit` keys.' }),
    limit: z.int().meta({ description: 'Page size that was applied.' }),
    next_page: z.int().nullable().meta({
      description:
        'Number of the next page; null on the last one, and after one that ends before `limit`: then use `next_cursor`.',
    }),
    ...NEXT_PAGE,
  })
  .meta({ id: 'ApiKeyList' });
export type ApiKeyList = z.infer<typeof ApiKeyList>;
