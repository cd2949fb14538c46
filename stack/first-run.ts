import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { generateApiKey, hashApiKey, parseApiKey } from '#security/api-key.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { readConfig } from '#config/index.ts';
import { embedderName, type EmbeddingSpace } from '#domain/embedder.ts';
import { writePrivateFile } from './stack-secrets.ts';

/** `sign_in_code`: signs in to the console once, within an hour; null when the first key is revoked or expired. */
export type FirstRun = {
  workspace_id: string;
  collection_id: string;
  api_key: string;
  sign_in_code: string | null;
  embedder: string;
};

const KeyFile = z.object({ api_key: z.string() });
const COLLECTION_NAME = 'getting-started';

/**
 * Returns the first workspace, its API key and the collection `getting-started`; creates them if they are missing. The key
 * is written to the state folder before it is stored in the database, so that an interrupted run continues with the same key.
 * Each call creates another sign-in code.
 * @param environment all `LOCI_` variables of the API
 */
export async function ensureFirstRun(environment: Readonly<Record<string, string>>): Promise<FirstRun> {
  const config = readConfig(environment);
  const knex = createPostgres({ ...config.database, poolSize: 1, applicationName: 'loci-first-run' });
  const embedders = await createEmbedders({ ...config.embedder, named: [], cacheDir: config.cacheDir });
  try {
    const { space } = embedders.preferred;
    const apiKey = loadOrCreateKey(join(environment['LOCI_STATE_DIR'] ?? '.loci', 'first-key.json'));
    const stores = createStores(knex);
    const workspaceId = await stores.transaction((inside) =>
      ensureWorkspace(inside, { apiKey, space, pepper: config.secrets.apiKeyPepper }),
    );
    const [collection] = await query<{ id: string }>(
      knex,
      'select id from collections where workspace_id = :workspaceId order by created_at, id limit 1',
      { workspaceId },
    );
    return {
      workspace_id: workspaceId,
      collection_id: collection?.id ?? '',
      api_key: apiKey,
      sign_in_code: await createSignInCode(stores, publicPartOf(apiKey)),
      embedder: embedderName(space),
    };
  } finally {
    await embedders.close();
    await knex.destroy();
  }
}

function loadOrCreateKey(path: string): string {
  if (existsSync(path)) return KeyFile.parse(JSON.parse(readFileSync(path, 'utf8'))).api_key;
  const { secret } = generateApiKey();
  writePrivateFile(path, `${JSON.stringify({ api_key: secret })}\n`);
  return secret;
}

function publicPartOf(apiKey: string): string {
  const key = parseApiKey(apiKey)?.id;
  if (key !== undefined) return key;
  throw new Error('The stored API key is damaged. Delete first-key.json from the state folder to create a new one.');
}

async function ensureWorkspace(
  stores: Stores,
  first: { apiKey: string; space: EmbeddingSpace; pepper: string },
): Promise<string> {
  const key = publicPartOf(first.apiKey);
  const existing = await stores.system.findApiKey(key);
  if (existing) return existing.workspace_id;
  const workspaceId = await stores.system.insertWorkspace('default');
  const createdBy = 'first-run';
  const hashedSecret = hashApiKey(first.apiKey, first.pepper);
  await stores.system.insertApiKey({
    workspaceId,
    key,
    hashedSecret,
    label: 'first key',
    permissions: ['*'],
    createdBy,
  });
  const collection = {
    name: COLLECTION_NAME,
    description: 'Created at the first start; use it or create others.',
    visibility: 'private' as const,
    tags: [],
    parent_id: null,
    meta_data: {},
    settings: {},
    source_type: 'document',
    source_id: null,
  };
  await stores.collections.insert({ workspaceId, collectionIds: null }, { ...collection, createdBy }, first.space);
  return workspaceId;
}
