import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';

/** The rest of a page that is the last one. */
const NO_MORE = { total_count: 3, has_more: false, next_cursor: null };

test('the command goes on when a workspace is deleted before its rebuild or during it', async (t) => {
  const [gone, going, kept] = [randomUUID(), randomUUID(), randomUUID()];
  const at = '2026-11-28T00:00:00.000Z';
  const workspace = (id: string) => ({ id, name: 'a test', created_at: at, updated_at: at });
  const rebuild = (workspace_id: string) => ({
    id: randomUUID(),
    workspace_id,
    workflow_id: 'reindex/1',
    status: 'completed',
    total_contents: 1,
    contents: 1,
    skipped_contents: 0,
    rejected_contents: [],
    chunks: 1,
    total_memories: 0,
    memories: 0,
    created_at: at,
    updated_at: at,
    completed_at: at,
  });
  const asked: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    asked.push(`${method} ${url}`);
    const id = /workspaces\/([^/]+)\/reindex/.exec(url)?.[1];
    const isLost = id === gone || (id === going && method === 'GET');
    const body = id ? rebuild(id) : { ...NO_MORE, data: [gone, going, kept].map(workspace) };
    response.writeHead(isLost ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const env = { ...process.env, LOCI_PUBLIC_URL: `http://127.0.0.1:${port}`, LOCI_ADMIN_TOKEN: 'a token' };
  const { stdout } = await promisify(execFile)(process.execPath, ['stack/reindex.ts', '--all'], {
    cwd: PROJECT_DIR,
    env,
  });
  t.deepEqual(stdout.trimEnd().split('\n'), [
    `${gone}: deleted meanwhile`,
    `${going}: deleted meanwhile`,
    `${kept}: completed, 1 of 1 contents, 0 of 0 memories`,
  ]);
  t.false(asked.includes(`GET /api/v1/workspaces/${gone}/reindex`));
});
