import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiKey } from '#domain/records/api-key.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { userHeaders } from '#test/support/fixtures/user-token.ts';
import { apiClient, freshClient } from '#test/support/harness/api-client.ts';

type Client = Awaited<ReturnType<typeof freshClient>>;

/** A workspace with one resource of each kind, each created when its id is first requested. */
export type World = {
  client: Client;
  keeper: Client;
  /** The id of the resource of this kind. */
  idOf(kind: Kind): Promise<string>;
  /** The ids of all resources created so far. */
  madeIds(): Promise<string[]>;
};

export type WorldOptions = {
  /** The member who owns the resources; the workspace itself by default. */
  user?: string;
  /** Uses the workspace of another world. */
  within?: World;
  /** Shares with the whole workspace what can be shared. */
  isShared?: boolean;
};

/** `keeper` creates the resources that a member may not create. */
type MakerContext = { client: Client; keeper: Client; idOf: World['idOf']; options: WorldOptions };

const TEXT = 'a text to be found';

/** Creates one resource of each kind. */
const MAKERS = {
  workspace: async ({ client }: MakerContext) => client.workspaceId,
  /** The workspace, after a reindexing was started. */
  reindexed: async ({ keeper }: MakerContext) => {
    await keeper.post(`/workspaces/${keeper.workspaceId}/reindex`, z.object({ id: z.string() }), { status: 202 });
    return keeper.workspaceId;
  },
  collection: async (context: MakerContext) => createCollection(context, 'of the matrix'),
  /** A collection whose embedder was changed to what it has. */
  reembedded: async (context: MakerContext) => {
    const id = await createCollection(context, 'of the matrix, re-embedded');
    const json = { embedding: { provider: 'lexical' } };
    await context.client.post(`/collections/${id}/reembed`, z.object({ id: z.string() }), { json });
    return id;
  },
  /** A second collection. */
  parent: async (context: MakerContext) => createCollection(context, 'of the matrix, too'),
  upload: async (context: MakerContext) => (await uploadText(context)).upload_id ?? '',
  content: async (context: MakerContext) => (await uploadText(context)).uploads[0]?.content_id ?? '',
  chunk: async (context: MakerContext) => {
    const Chunks = z.object({ chunks: z.array(z.object({ id: z.string() })) });
    const { chunks } = await context.client.get(`/chunks?content_id=${await context.idOf('content')}`, Chunks);
    return chunks[0]?.id ?? '';
  },
  deletion: async (context: MakerContext) => {
    const contentId = (await uploadText(context)).uploads[0]?.content_id ?? '';
    const Accepted = z.object({ deletion_id: z.string() });
    const deleted = { method: 'DELETE', status: 202 };
    return (await context.client.get(`/contents/${contentId}`, Accepted, deleted)).deletion_id;
  },
  apiKey: async ({ keeper }: MakerContext) => {
    const json = { permissions: ['collections:read'] };
    return (await keeper.post('/api-keys', ApiKey, { json, status: 201 })).id;
  },
  memory: async ({ client, options }: MakerContext) => {
    const json = { user_id: options.user ?? 'ada', memory: TEXT, memory_type: options.isShared ? 'team' : 'user' };
    return (await client.post('/memories', z.object({ memory_id: z.string() }), { json, status: 201 })).memory_id;
  },
  /** A completed compression job. */
  compression: async ({ client }: MakerContext) => {
    const json = { content: TEXT, strategy: 'extractive', webhook_url: 'http://127.0.0.1:9/nobody' };
    const made = await client.post('/compress', z.object({ job_id: z.string() }), { json, status: 202 });
    await eventually('the job is completed', async () => {
      const { status } = await client.get(`/compress/${made.job_id}`, z.object({ status: z.string() }));
      return status === 'completed';
    });
    return made.job_id;
  },
  connection: async ({ client }: MakerContext) => {
    const json = { integration: 'of the matrix', integration_type: 'api' };
    return (await client.post('/connections', z.object({ id: z.string() }), { json, status: 201 })).id;
  },
  oauthClient: async ({ keeper }: MakerContext) => {
    const json = { client_id: 'of the matrix', token_endpoint: 'https://example.com/token' };
    const sent = { method: 'PUT', json };
    return (await keeper.get(`/oauth/clients/${randomUUID()}`, z.object({ provider: z.string() }), sent)).provider;
  },
  /** A name that no OAuth client has yet. */
  providerName: async () => randomUUID(),
  conversation: async ({ client, options }: MakerContext) => {
    const made = z.object({ id: z.string() });
    const json = { title: 'of the matrix', is_public: options.isShared ?? false };
    return (await client.post('/conversations', made, { json, status: 201 })).id;
  },
  message: async ({ client, idOf }: MakerContext) => {
    const json = { conversation_id: await idOf('conversation'), content: TEXT };
    const made = await client.post('/messages', z.array(z.object({ id: z.string() })), { json, status: 201 });
    return made[0]?.id ?? '';
  },
  webhook: async ({ keeper }: MakerContext) => {
    // Nothing listens at this address: deliveries fail immediately.
    const json = { url: 'http://127.99.0.1:9/hook', events: ['compress.failed'] };
    return (await keeper.post('/webhooks', z.object({ id: z.string() }), { json, status: 201 })).id;
  },
  delivery: async ({ keeper }: MakerContext) => {
    const json = { url: 'http://127.99.0.1:9/hook', events: ['compress.failed'] };
    const Made = z.object({ id: z.string() });
    const { id } = await keeper.post('/webhooks', Made, { json, status: 201 });
    const delivery = (await keeper.post(`/webhooks/${id}/test`, Made, { status: 202 })).id;
    // Disabling the webhook ends the delivery, so that it can be redelivered.
    for (const status of ['disabled', 'active']) {
      await keeper.get(`/webhooks/${id}`, Made, { method: 'PATCH', json: { status } });
    }
    return delivery;
  },
  member: async ({ keeper }: MakerContext) => {
    const user_id = `user-${randomUUID()}`;
    const path = `/workspaces/${keeper.workspaceId}/members`;
    return (await keeper.post(path, z.object({ user_id: z.string() }), { json: { user_id }, status: 201 })).user_id;
  },
};

export type Kind = keyof typeof MAKERS;

/** Kinds that a key limited to other collections cannot see; the others belong to the workspace or to a user. */
export const BEHIND_COLLECTIONS: ReadonlySet<Kind> = new Set<Kind>([
  'collection',
  'parent',
  'reembedded',
  'upload',
  'content',
  'chunk',
  'deletion',
  'apiKey',
  'webhook',
  'delivery',
]);

/** Creates a world, by default in a new workspace with a key that has every permission. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const keeper = options.within?.keeper ?? (await freshClient());
  const client = options.user === undefined ? keeper : await clientOf(options.user, keeper);
  const made = new Map<Kind, Promise<string>>();
  const idOf = (kind: Kind): Promise<string> => {
    const known = made.get(kind) ?? MAKERS[kind]({ client, keeper, idOf, options });
    made.set(kind, known);
    return known;
  };
  return { client, keeper, idOf, madeIds: () => Promise.all(made.values()) };
}

async function clientOf(user: string, { workspaceId }: Client): Promise<Client> {
  return { ...apiClient(await userHeaders(user, 'member', workspaceId)), workspaceId, key: '' };
}

async function createCollection({ client, options }: MakerContext, name: string): Promise<string> {
  const { id } = await client.createCollection(name);
  if (options.isShared) await client.send(`/collections/${id}`, { method: 'PATCH', json: { visibility: 'public' } });
  return id;
}

async function uploadText({ client, idOf }: MakerContext) {
  return client.upload(await idOf('collection'), [['content', `${TEXT} ${randomUUID()}`]]);
}
