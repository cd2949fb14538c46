/**
 * `npm run bench:folder -- --dataset DIR`: uploads a folder of documents with the command line to a service that has just
 * started, and then searches each document by sentences that occur in no other document. The sentences come from
 * `NAME.expected.md` beside the document, which is not uploaded. For a document without it, they come from the extracted text;
 * the report marks such formats.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { buildClient, CLIENT_DIR } from '#test/support/harness/client-package.ts';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { seconds, sum, timed, formatVerdict } from '#bench/statistics.ts';
import { findUniqueSentences } from './unique-sentences.ts';

const EXPECTED_SUFFIX = '.expected.md';
/** Number of checked results; the default of the service. */
const RESULT_COUNT = 10;

const { values: options } = parseArgs({ options: { dataset: { type: 'string' } } });
if (options.dataset === undefined) {
  throw new Error('Usage: npm run bench:folder -- --dataset DIR');
}
const dataset = options.dataset;

type Uploaded = { id: string; path: string; format: string; status: string; message: string | null };
type EvaluatedContent = Uploaded & { sentences: string[]; isExpected: boolean; found: Record<string, number> };

const ContentPage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      status_message: z.string().nullable(),
      content_hash: z.string().nullable(),
    }),
  ),
});

await buildClient();
const folder = await mkdtemp(join(tmpdir(), 'loci-folder-'));
try {
  await cp(dataset, folder, { recursive: true, filter: (path) => !path.endsWith(EXPECTED_SUFFIX) });
  await withBenchStack({}, evaluateFolder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function evaluateFolder(stack: BenchStack): Promise<void> {
  const collection = await stack.client.createCollection('folder');
  const { elapsedMs } = await timed(() => uploadByCommand(stack, collection.id));
  const uploaded = await uploadedContents(stack, collection.id);
  const judged = await evaluateContents(stack, collection.id, uploaded);
  for (const { path, status, message } of judged) if (status !== 'ready') console.log(`${path}: ${status}: ${message}`);
  for (const { path, status, sentences, found } of judged) {
    const missing = SEARCH_TYPES.filter((type) => status === 'ready' && (found[type] ?? 0) < sentences.length);
    for (const type of missing) console.log(`${path}: ${found[type] ?? 0} of ${sentences.length} by ${type}`);
    if (status === 'ready' && sentences.length === 0) console.log(`${path}: no sentence to search for`);
  }
  console.log(`\n${uploaded.length} documents in ${seconds(elapsedMs)}, from the command's start to its end`);
  printReport(judged);
}

/** Runs `loci upload FOLDER`; its progress is shown in this terminal. */
async function uploadByCommand({ servers, apiKey }: BenchStack, collectionId: string): Promise<void> {
  const env = { ...process.env, LOCI_URL: `http://127.0.0.1:${servers.ports.api}`, LOCI_API_KEY: apiKey };
  const args = [join(CLIENT_DIR, 'dist', 'cli', 'main.js'), 'upload', '--collection', collectionId, folder];
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  // Exit code 1 means that some documents failed; they are listed below.
  const code = await new Promise<number | null>((settle) => child.once('close', settle));
  if (code !== 0 && code !== 1) throw new Error(`loci upload exited with ${code}.`);
}

/** What the service has, by the bytes of the files that were sent. */
async function uploadedContents(stack: BenchStack, collectionId: string): Promise<Uploaded[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const pathOf = new Map<string, string>();
  for (const entry of names.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    pathOf.set(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
      relative(folder, path),
    );
  }
  const page = await get(stack, `/contents?collection_id=${collectionId}&limit=1000`);
  const contents = ContentPage.parse(JSON.parse(page)).data;
  const isThere = new Set(contents.map(({ content_hash }) => content_hash));
  for (const [hash, path] of pathOf) if (!isThere.has(hash)) console.log(`${path}: rejected`);
  return contents.flatMap(({ id, status, status_message, content_hash }) => {
    const path = pathOf.get(content_hash ?? '');
    return path === undefined ? [] : [{ id, path, format: path.split(sep)[0] ?? '', status, message: status_message }];
  });
}

async function evaluateContents(
  stack: BenchStack,
  collectionId: string,
  contents: readonly Uploaded[],
): Promise<EvaluatedContent[]> {
  const judged: EvaluatedContent[] = [];
  const documents = [];
  for (const content of contents) documents.push({ ...content, ...(await textOf(stack, content)) });
  const sentencesOf = findUniqueSentences(documents);
  for (const { text: _, ...content } of documents) {
    const sentences = sentencesOf.get(content.path) ?? [];
    const found: Record<string, number> = {};
    for (const type of SEARCH_TYPES) {
      found[type] = 0;
      for (const query of sentences) {
        const { results } = await stack.client.search({ collectionId, query, type, limit: RESULT_COUNT });
        if (results.some(({ content_id }) => content_id === content.id)) found[type] += 1;
      }
    }
    judged.push({ ...content, sentences, found });
  }
  return judged;
}

/** Returns the expected text of a document; without one, the extracted text. */
async function textOf(
  stack: BenchStack,
  { id, path, status }: Uploaded,
): Promise<{ text: string; isExpected: boolean }> {
  const expected = await readFile(join(dataset, path + EXPECTED_SUFFIX), 'utf8').catch(() => null);
  if (expected !== null) return { text: expected, isExpected: true };
  return { text: status === 'ready' ? await get(stack, `/contents/${id}/text`) : '', isExpected: false };
}

async function get({ servers, apiKey }: BenchStack, path: string): Promise<string> {
  const url = `http://127.0.0.1:${servers.ports.api}/api/v1${path}`;
  const response = await fetch(url, { headers: { 'X-API-Key': apiKey } });
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${await response.text()}`);
  return response.text();
}

function printReport(judged: readonly EvaluatedContent[]): void {
  const formats = Object.groupBy(judged, ({ format }) => format);
  console.log(`\n| format | documents | ready | sentences | ${SEARCH_TYPES.join(' | ')} |`);
  console.log(`|---|---|---|---|${SEARCH_TYPES.map(() => '---|').join('')}`);
  for (const [format, all = []] of Object.entries(formats)) {
    const asked = sum(all.map(({ sentences }) => sentences.length));
    const found = SEARCH_TYPES.map((type) => sum(all.map((one) => one.found[type] ?? 0)));
    const ready = all.filter(({ status }) => status === 'ready').length;
    const unsure = all.every(({ isExpected }) => !isExpected) ? ' (by extracted text)' : '';
    console.log(`| ${format}${unsure} | ${all.length} | ${ready} | ${asked} | ${found.join(' | ')} |`);
  }
  const asked = judged.filter(({ sentences }) => sentences.length > 0);
  const isFound = ({ found }: EvaluatedContent) => Object.values(found).some((count) => count > 0);
  console.log(
    formatVerdict('\ndocuments found by a unique sentence', asked.filter(isFound).length / asked.length, {
      atLeast: 1,
    }),
  );
}
