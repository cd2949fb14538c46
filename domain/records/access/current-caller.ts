import { z } from 'zod';
import { Id, IsoTime } from '#domain/records/fields.ts';
import { PERMISSION_META } from '#domain/records/api-key.ts';

/** What the caller of a request is, and what it may do. */
export const CurrentCaller = z
  .object({
    principal: z.string().meta({
      description: 'What `created_by` says of what the caller creates: `api-key/<key>` or `user/<sub of the token>`.',
    }),
    user_id: z
      .string()
      .nullable()
      .meta({ description: 'The user, by the `sub` claim of the token; null for an API key.' }),
    workspace_id: Id.nullable().meta({
      description:
        'Workspace of this request. Null for a user of several workspaces who sends no `X-Workspace-Id`: then the caller may do ' +
        'nothing yet, and `workspace_ids` lists which workspaces the header may name.',
    }),
    workspace_ids: z.array(Id).meta({ description: 'Every workspace that the caller reaches, oldest first.' }),
    permissions: z.array(z.string().meta(PERMISSION_META)).meta({
      description:
        'Every permission that the caller has in the workspace. For a caller with `*`, that is every permission of this version, `*` included.',
    }),
    collections: z
      .array(Id)
      .nullable()
      .meta({
        description:
          'The only collections that the caller can read; null means every collection. Operations on the whole workspace, such as ' +
          'renaming it, answer 403 unless this is null.',
      }),
    writable_collections: z
      .array(Id)
      .nullable()
      .meta({
        description:
          'The only collections that the caller can change, or upload to, with the permissions for it; null means every collection. ' +
          'A member reads public collections, but changes only its own.',
      }),
    is_operator: z.boolean().meta({
      description: 'Whether the caller operates the service, and may see what concerns all workspaces: `GET /service`.',
    }),
    api_key: z
      .object({
        id: Id.meta({ description: 'Id of the record of the key.' }),
        label: z.string().nullable().meta({ description: 'Name that people recognise the key by.' }),
        expires_at: IsoTime.nullable().meta({
          description: 'Time from which the key is no longer accepted; null for a key that does not expire.',
        }),
        max_key_expires_at: IsoTime.nullable().meta({
          description:
            'The latest `expires_at` that this key may give to another key; null for no limit. Its own, except for a key from a ' +
            'sign-in code: then that of the key which the code was made for, as long as that one is valid.',
        }),
        last_used_at: IsoTime.nullable().meta({ description: 'Time of the last use, accurate to about one minute.' }),
      })
      .nullable()
      .meta({ description: 'The API key of the request; null for the token of a user.' }),
  })
  .meta({ id: 'CurrentCaller' });
export type CurrentCaller = z.infer<typeof CurrentCaller>;
