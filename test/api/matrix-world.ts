import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiKey } from '../../domain/records/api-key.ts';
import { freshClient } from './api-client.ts';

type Client = Awaited<ReturnType<typeof freshClient>>;

/** What is in a workspace when requests begin; a thing is made when it is first named. */
export type World = {
  client: Client;
  /** The id of the workspace's thing of this kind. */
  idOf(kind: Kind): Promise<string>;
  /** Every id that was made. */
  madeIds(): Promise<string[]>;
};

type Making = { client: Client; idOf: World['idOf'] };

const TEXT = 'a text to be found';

/** How one thing of each kind is made. */
const MAKERS = {
  workspace: async ({ client }: Making) => client.workspaceId,
  collection: async ({ client }: Making) => (await client.createCollection('of the matrix')).id,
  /** A second collection. */
  parent: async ({ client }: Making) => (await client.createCollection('of the matrix, too')).id,
  upload: async (making: Making) => (await uploadText(making)).upload_id ?? '',
  content: async (making: Making) => (await uploadText(making)).uploads[0]?.content_id ?? '',
  chunk: async (making: Making) => {
    const Chunks = z.object({ chunks: z.array(z.object({ id: z.string() })) });
    const { chunks } = await making.client.get(`/chunks?content_id=${await making.idOf('content')}`, Chunks);
    return chunks[0]?.id ?? '';
  },
  deletion: async (making: Making) => {
    const contentId = (await uploadText(making)).uploads[0]?.content_id ?? '';
    const Accepted = z.object({ deletion_id: z.string() });
    const deleted = { method: 'DELETE', status: 202 };
    return (await making.client.get(`/contents/${contentId}`, Accepted, deleted)).deletion_id;
  },
  apiKey: async ({ client }: Making) => {
    const json = { permissions: ['collections:read'] };
    return (await client.post('/api-keys', ApiKey, { json, status: 201 })).id;
  },
  memory: async ({ client }: Making) => {
    const json = { user_id: 'ada', memory: TEXT };
    return (await client.post('/memories', z.object({ memory_id: z.string() }), { json, status: 201 })).memory_id;
  },
  connection: async ({ client }: Making) => {
    const json = { integration: 'of the matrix', integration_type: 'api' };
    return (await client.post('/connections', z.object({ id: z.string() }), { json, status: 201 })).id;
  },
  conversation: async ({ client }: Making) => {
    const made = z.object({ id: z.string() });
    return (await client.post('/conversations', made, { json: { title: 'of the matrix' }, status: 201 })).id;
  },
  message: async ({ client, idOf }: Making) => {
    const json = { conversation_id: await idOf('conversation'), content: TEXT };
    const made = await client.post('/messages', z.array(z.object({ id: z.string() })), { json, status: 201 });
    return made[0]?.id ?? '';
  },
  webhook: async ({ client }: Making) => {
    // Nobody listens there: what is sent to it fails at once.
    const json = { url: 'http://127.99.0.1:9/hook', events: ['compress.failed'] };
    return (await client.post('/webhooks', z.object({ id: z.string() }), { json, status: 201 })).id;
  },
  delivery: async ({ client }: Making) => {
    const json = { url: 'http://127.99.0.1:9/hook', events: ['compress.failed'] };
    const Made = z.object({ id: z.string() });
    const { id } = await client.post('/webhooks', Made, { json, status: 201 });
    const delivery = (await client.post(`/webhooks/${id}/test`, Made, { status: 202 })).id;
    // One that is over can be sent again.
    for (const status of ['disabled', 'active']) {
      await client.get(`/webhooks/${id}`, Made, { method: 'PATCH', json: { status } });
    }
    return delivery;
  },
  member: async ({ client }: Making) => {
    const user_id = `user-${randomUUID()}`;
    const path = `/workspaces/${client.workspaceId}/members`;
    return (await client.post(path, z.object({ user_id: z.string() }), { json: { user_id }, status: 201 })).user_id;
  },
};

export type Kind = keyof typeof MAKERS;

/** Kinds that a key limited to other collections does not see; the others belong to the workspace or to a user. */
export const BEHIND_COLLECTIONS: ReadonlySet<Kind> = new Set<Kind>([
  'collection',
  'parent',
  'upload',
  'content',
  'chunk',
  'deletion',
  'apiKey',
  'webhook',
  'delivery',
]);

/** A workspace of its own with a key that may everything. */
export async function createWorld(): Promise<World> {
  const client = await freshClient();
  const made = new Map<Kind, Promise<string>>();
  const idOf = (kind: Kind): Promise<string> => {
    const known = made.get(kind) ?? MAKERS[kind]({ client, idOf });
    made.set(kind, known);
    return known;
  };
  return { client, idOf, madeIds: () => Promise.all(made.values()) };
}

async function uploadText({ client, idOf }: Making) {
  return client.upload(await idOf('collection'), [['content', `${TEXT} ${randomUUID()}`]]);
}
