/**
 * `npm run reindex -- --workspace ID | --all`: rebuilds the search index of one workspace or of all workspaces from the stored
 * data, and shows the progress. The service does the work: it continues if this command is interrupted, and running the
 * command again shows the progress of the same rebuild. The address and the administrator token come from `LOCI_PUBLIC_URL`
 * and `LOCI_ADMIN_TOKEN`, or from the `connection.json` that `npm start` writes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { withoutSecretFiles } from '#config/secret-files.ts';
import { Reindexing } from '#domain/records/reindexing.ts';
import { WorkspaceList } from '#domain/records/workspace.ts';
import { reasonOf, StackError } from './stack-error.ts';

const Connection = z.object({ base_url: z.string(), admin_token: z.string() });
type Connection = z.infer<typeof Connection>;

const POLL_MS = 1_000;
const USAGE = 'Usage: npm run reindex -- --workspace ID, or npm run reindex -- --all';

class NotFoundError extends StackError {}

try {
  const { values } = parseArgs({ options: { workspace: { type: 'string' }, all: { type: 'boolean' } } });
  if ((values.workspace === undefined) === (values.all !== true)) throw new StackError(USAGE);
  const connection = findConnection();
  if (values.workspace === undefined) await reindexAll(connection);
  else {
    await start(connection, values.workspace);
    await printProgress(connection, values.workspace);
  }
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

function findConnection(): Connection {
  const {
    LOCI_PUBLIC_URL: url,
    LOCI_ADMIN_TOKEN: token,
    LOCI_STATE_DIR: stateDir = '.loci',
  } = withoutSecretFiles(process.env);
  if (url && token) return { base_url: url, admin_token: token };
  const path = join(stateDir, 'connection.json');
  try {
    return Connection.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new StackError(
      `Set LOCI_PUBLIC_URL and LOCI_ADMIN_TOKEN, or run this command while Loci is running, in the folder that contains ${path}.`,
    );
  }
}

/** Reindexes all workspaces, except those that are deleted meanwhile. */
async function reindexAll(connection: Connection): Promise<void> {
  let ids = await listWorkspaceIds(connection);
  for (const work of [start, printProgress]) {
    const left: string[] = [];
    for (const id of ids) {
      try {
        await work(connection, id);
        left.push(id);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        console.log(`${id}: deleted meanwhile`);
      }
    }
    ids = left;
  }
}

async function start(connection: Connection, id: string): Promise<void> {
  await request(connection, `/workspaces/${id}/reindex`, { method: 'POST', schema: Reindexing });
}

async function listWorkspaceIds(connection: Connection): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: WorkspaceList = await request(connection, `/workspaces?limit=1000${query}`, { schema: WorkspaceList });
    ids.push(...page.data.map((workspace) => workspace.id));
    cursor = page.next_cursor;
  }
  return ids;
}

async function printProgress(connection: Connection, id: string): Promise<void> {
  for (let printed = ''; ;) {
    const progress = await request(connection, `/workspaces/${id}/reindex`, { schema: Reindexing });
    const skipped =
      progress.skipped_contents > 0
        ? `, ${progress.skipped_contents} skipped because their embedder is not configured`
        : '';
    const line = `${id}: ${progress.status}, ${progress.contents} of ${progress.total_contents} contents${skipped}, ${progress.memories} of ${progress.total_memories} memories`;
    if (line !== printed) console.log(line);
    if (progress.status === 'completed') {
      const rejected = progress.rejected_contents;
      if (rejected.length > 0)
        console.log(`${id}: the embedder rejects texts of these contents, which are not found: ${rejected.join(', ')}`);
      return;
    }
    printed = line;
    await delay(POLL_MS);
  }
}

async function request<S extends z.ZodType>(
  { base_url: baseUrl, admin_token: token }: Connection,
  path: string,
  { method = 'GET', schema }: { method?: string; schema: S },
): Promise<z.output<S>> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) {
    const message = `${method} ${path} returned ${response.status}: ${await response.text()}`;
    throw response.status === 404 ? new NotFoundError(message) : new StackError(message);
  }
  return schema.parse(await response.json());
}
