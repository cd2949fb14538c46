/**
 * A process that asks the service while it is attacked, because the attacker's own process is busy: `/livez` every 20 ms over one
 * connection, and small searches and reads of another workspace, one after the other. It is started with whom to ask; "begin"
 * begins a measurement, "end" ends it and is answered with what was measured.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { Probed, type Observed } from './start-probe.ts';

const LIVEZ_EVERY_MS = 20;
const READ_EVERY_MS = 50;
const SEARCHES = ['harbour', 'council glacier', 'inspects the telescope', 'rusty tariff'];

const { baseUrl, key, collectionId } = Probed.parse(JSON.parse(process.argv[2] ?? ''));
const livez = new Pool(baseUrl, { connections: 1 });
const reads = new Pool(baseUrl, { connections: 1 });
const none = (): Observed => ({ longestMs: 0, readMs: [], failures: 0 });
let observed = none();

async function timed(pool: Pool, path: string, body?: object): Promise<number> {
  const startedMs = performance.now();
  try {
    const { statusCode, body: answer } = await pool.request({
      path,
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    });
    await answer.dump();
    if (statusCode !== 200) observed.failures += 1;
  } catch {
    observed.failures += 1;
  }
  return performance.now() - startedMs;
}

async function askLivez(): Promise<void> {
  for (;;) {
    const elapsedMs = await timed(livez, '/livez');
    observed.longestMs = Math.max(observed.longestMs, elapsedMs);
    await delay(LIVEZ_EVERY_MS);
  }
}

async function read(): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const query = SEARCHES[turn % SEARCHES.length];
    const search = { collection_id: collectionId, query, search_type: 'keyword', max_results: 5 };
    const isSearch = turn % 2 === 0;
    const elapsedMs = isSearch
      ? await timed(reads, '/api/v1/collections/search', search)
      : await timed(reads, `/api/v1/contents?collection_id=${collectionId}&limit=20`);
    observed.readMs.push(elapsedMs);
    await delay(READ_EVERY_MS);
  }
}

process.on('message', (message) => {
  if (message === 'end') process.send?.(observed);
  observed = none();
});
process.once('disconnect', () => process.exit(0));
await Promise.all([askLivez(), read()]);
