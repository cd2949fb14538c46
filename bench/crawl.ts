/**
 * `npm run bench:crawl [-- --articles 3000 --kills 3]`: crawls a site of a few thousand pages with the usual crawler traps, kills
 * the worker several times and the API once, and compares the result with the rules of the site. Exits with 1 if a page is
 * missing, duplicated or superfluous. Then crawls the unchanged site again, and measures the request rate of several crawls of
 * one host.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { UploadProgress } from '#domain/records/upload.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { startTrapSite } from '#test/support/servers/trap-site.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { measureCrawlRate } from './crawl-rate.ts';
import { mebibytes, milliseconds, seconds, formatVerdict } from './statistics.ts';

const { values } = parseArgs({
  options: { articles: { type: 'string', default: '3000' }, kills: { type: 'string', default: '3' } },
});
const kills = Number(values.kills);
const limits = { articles: Number(values.articles), maxDepth: 5, queriesOfPath: 7 };
const settings = {
  LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS,
  // With the default of one request per second, the result would only measure the waiting.
  LOCI_CRAWL_DELAY_MS: '0',
  LOCI_CRAWL_PAGE_TIMEOUT_S: '10',
  LOCI_CRAWL_MAX_PAGE_BYTES: String(2 * 1024 * 1024),
  LOCI_CRAWL_QUERIES_PER_PATH: String(limits.queriesOfPath),
  LOCI_EMBEDDER: 'lexical',
} as const;

const site = await startTrapSite(limits);
try {
  const problemCount = await withBenchStack(settings, async (stack) => {
    const { id: collectionId } = await stack.client.createCollection('crawl');
    console.log(`\n## A site of ${site.expected.size} pages, ${kills} kills`);
    const first = await crawl(stack, collectionId, kills);
    const problems = findProblems(first.progress);
    const requests = site.requests.length;
    console.log(describe(first.progress, first.elapsedMs, requests));
    for (const problem of problems.slice(0, 20)) console.log(`problem: ${problem}`);
    console.log('\n## Second crawl of the unchanged site');
    const second = await crawl(stack, collectionId, 0);
    console.log(describe(second.progress, second.elapsedMs, site.requests.length - requests));
    console.log(`worker: peak ${mebibytes(await workerPeakBytes(stack))} since its last start`);
    console.log(
      `history: ${(await historyLengths(stack, first.progress)).join(', ')} events in the runs of the workflow`,
    );
    console.log('\n## Three crawls of one host that allows one request per second, with a kill of the worker');
    const pace = await measureCrawlRate(stack);
    const shortest = `shortest pause ${milliseconds(pace.shortestMs)}`;
    console.log(
      formatVerdict(`${pace.requests} requests, ${shortest}; requests / seconds`, pace.ratio, { atMost: 1.01 }),
    );
    return problems.length + findProblems(second.progress).length;
  });
  console.log(`\npages missing, duplicated or superfluous: ${problemCount}`);
  process.exitCode = problemCount > 0 ? 1 : 0;
} finally {
  await site.close();
}

/** Runs a crawl to its end and kills processes `times` times, evenly distributed over the pages. */
async function crawl(stack: BenchStack, collectionId: string, times: number) {
  const startedMs = performance.now();
  const fields = { crawl: 'true', urls: `${site.origin}/`, max_pages: '10000', max_depth: String(limits.maxDepth) };
  const { upload_id } = await stack.client.upload(collectionId, [], fields);
  let killed = 0;
  for (;;) {
    const progress = await fetchProgress(stack, `${upload_id}?limit=1`);
    const pages = progress.crawls[0]?.pages;
    const taken = (pages?.fetched ?? 0) + (pages?.failed ?? 0);
    if (killed < times && taken > ((killed + 1) * site.expected.size) / (times + 1)) {
      killed += 1;
      // The last kill is one of the API, on which a crawl does not depend.
      const process = killed === times && times > 1 ? stack.services.api : stack.services.worker;
      await process.kill('SIGKILL');
      await process.start();
      console.log(`${process === stack.services.api ? 'API' : 'worker'} killed after ${taken} pages`);
    }
    if (progress.status !== 'running') break;
    await delay(200);
  }
  return { progress: await fetchUpload(stack, upload_id ?? ''), elapsedMs: performance.now() - startedMs };
}

/** Returns the peak resident size of the worker since its start. */
async function workerPeakBytes({ services }: BenchStack): Promise<number> {
  const status = await readFile(`/proc/${services.worker.pid()}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the number of events in the histories of a crawl. */
async function historyLengths({ config }: BenchStack, { crawls }: UploadProgress): Promise<number[]> {
  const connection = await Connection.connect({ address: config.temporal.address });
  try {
    const { workflow } = new Client({ connection, namespace: config.temporal.namespace });
    const lengths: number[] = [];
    const query = `WorkflowId = '${crawlWorkflowId(crawls[0]?.id ?? '')}'`;
    for await (const run of workflow.list({ query })) lengths.push(run.historyLength ?? 0);
    return lengths;
  } finally {
    await connection.close();
  }
}

/** Returns an upload with all its contents. */
async function fetchUpload(stack: BenchStack, uploadId: string): Promise<UploadProgress> {
  const first = await fetchProgress(stack, `${uploadId}?limit=1000`);
  const contents = [...first.contents];
  for (let cursor = first.next_cursor; cursor !== null;) {
    const page = await fetchProgress(stack, `${uploadId}?limit=1000&cursor=${encodeURIComponent(cursor)}`);
    contents.push(...page.contents);
    cursor = page.next_cursor;
  }
  return { ...first, contents };
}

async function fetchProgress(stack: BenchStack, path: string): Promise<UploadProgress> {
  const url = `http://127.0.0.1:${stack.servers.ports.api}/api/v1/uploads/${path}`;
  const response = await fetch(url, { headers: { 'X-API-Key': stack.apiKey } });
  return UploadProgress.parse(await response.json());
}

/** Returns one line for each difference from the expected pages. */
function findProblems({ contents }: UploadProgress): string[] {
  const expected = countLines([...site.expected].map(([path, status]) => `${path.split('?')[0]} ${status}`));
  const found = countLines(contents.map(({ name, status }) => `${name.replace(site.origin, '')} ${status}`));
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((line) => {
    const [wanted, actual] = [expected.get(line) ?? 0, found.get(line) ?? 0];
    return wanted === actual ? [] : [`${line}: ${actual} instead of ${wanted}`];
  });
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function describe({ contents, crawls, progress }: UploadProgress, elapsedMs: number, requests: number): string {
  const perSecond = (contents.length / (elapsedMs / 1000)).toFixed(1);
  const pages = JSON.stringify(crawls[0]?.pages);
  return `${contents.length} pages in ${seconds(elapsedMs)} (${perSecond}/s), ${requests} requests, ${progress.chunks} chunks; ${pages}`;
}
