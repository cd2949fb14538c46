/**
 * `npm run reindex -- --workspace ID | --all`: has the search index of a workspace, or of all of them, made anew from what is stored, and
 * shows how far that is. The work is the service's: it goes on when this is interrupted, and asking again shows how far it is.
 * Takes address and administrator token from `LOCI_PUBLIC_URL` and `LOCI_ADMIN_TOKEN`, or from the `connection.json` that `npm start` writes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Reindexing } from '#domain/records/reindexing.ts';
import { WorkspaceList } from '#domain/records/workspace.ts';
import { reasonOf, StackError } from './stack-error.ts';

const Connection = z.object({ base_url: z.string(), admin_token: z.string() });
type Connection = z.infer<typeof Connection>;

const POLL_MS = 1_000;
const USAGE = 'Say what to index: npm run reindex -- --workspace ID, or --all';

try {
  const { values } = parseArgs({ options: { workspace: { type: 'string' }, all: { type: 'boolean' } } });
  if ((values.workspace === undefined) === (values.all !== true)) throw new StackError(USAGE);
  const connection = findConnection();
  const ids = values.workspace === undefined ? await allWorkspaces(connection) : [values.workspace];
  for (const id of ids) await ask(connection, `/workspaces/${id}/reindex`, { method: 'POST', schema: Reindexing });
  for (const id of ids) await follow(connection, id);
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

function findConnection(): Connection {
  const { LOCI_PUBLIC_URL: url, LOCI_ADMIN_TOKEN: token, LOCI_STATE_DIR: stateDir = '.loci' } = process.env;
  if (url && token) return { base_url: url, admin_token: token };
  const path = join(stateDir, 'connection.json');
  try {
    return Connection.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new StackError(`Set LOCI_PUBLIC_URL and LOCI_ADMIN_TOKEN, or run this where ${path} is, while Loci runs.`);
  }
}

async function allWorkspaces(connection: Connection): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: WorkspaceList = await ask(connection, `/workspaces?limit=1000${query}`, { schema: WorkspaceList });
    ids.push(...page.data.map((workspace) => workspace.id));
    cursor = page.next_cursor;
  }
  return ids;
}

async function follow(connection: Connection, id: string): Promise<void> {
  for (let shown = ''; ;) {
    const at = await ask(connection, `/workspaces/${id}/reindex`, { schema: Reindexing });
    const skipped = at.skipped_contents > 0 ? `, ${at.skipped_contents} skipped: their embedder is not configured` : '';
    const line = `${id}: ${at.status}, ${at.contents} of ${at.total_contents} contents${skipped}, ${at.memories} of ${at.total_memories} memories`;
    if (line !== shown) console.log(line);
    if (at.status === 'completed') return;
    shown = line;
    await delay(POLL_MS);
  }
}

async function ask<S extends z.ZodType>(
  { base_url: baseUrl, admin_token: token }: Connection,
  path: string,
  { method = 'GET', schema }: { method?: string; schema: S },
): Promise<z.output<S>> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new StackError(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return schema.parse(await response.json());
}
