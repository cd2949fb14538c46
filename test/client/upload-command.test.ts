import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { folderOf, manyFiles } from './folders.ts';
import { forward } from './forward.ts';
import { ending, installCommand, type InstalledCommand } from './installed-command.ts';

const Report = z.object({
  collection_id: z.string(),
  upload_ids: z.array(z.string()),
  total: z.int(),
  added: z.int(),
  replaced: z.int(),
  present: z.int(),
  waited: z.boolean(),
  failed: z.array(
    z.object({ input: z.string(), content_id: z.string().nullable(), code: z.string(), message: z.string() }),
  ),
});

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

/** Runs `loci upload` into a new collection of a new workspace. */
async function startUpload() {
  const flow = await startFlow();
  const environment = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: flow.key };
  const args = (more: readonly string[]) => ['upload', '--collection', flow.collectionId, ...more];
  return {
    ...flow,
    start: (more: readonly string[], url = environment.LOCI_URL) =>
      installed.start(args(more), { environment: { ...environment, LOCI_URL: url } }),
    run: (...more: string[]) => installed.run(args(more), { environment }),
    async report(...more: string[]) {
      const { code, stdout, stderr } = await installed.run(args([...more, '--json']), { environment });
      if (stdout === '') throw new Error(stderr);
      return { code, ...Report.parse(JSON.parse(stdout)) };
    },
    contents: async () => (await flow.api.get('/contents?limit=1000', z.object({ data: z.array(Content) }))).data,
    countContents: async () =>
      (await flow.api.get('/contents?limit=1', z.object({ total_count: z.int() }))).total_count,
  };
}

test('a broken file in a folder is reported while the others are added, and a second run sends only failed files', async (t) => {
  const loci = await startUpload();
  const names = manyFiles(40, 'glaciers');
  const folder = await folderOf(t, {
    ...names,
    'broken/empty.txt': '',
    'broken/torn.pdf': '%PDF-1.7 torn',
    '.hidden/x.txt': 'x',
  });
  const first = await loci.report(folder);
  t.like(first, { code: 1, total: 42, added: 41, present: 0, waited: true });
  const failed = new Map(first.failed.map(({ input, code }) => [input, code]));
  t.deepEqual(
    failed,
    new Map([
      [join(folder, 'broken/empty.txt'), 'empty_file'],
      [join(folder, 'broken/torn.pdf'), 'unreadable'],
    ]),
  );
  t.true(first.failed.every(({ message }) => message.length > 0));
  t.is((await loci.search('glaciers', { max_results: 100 })).length, 40);

  const second = await loci.report(folder);
  t.like(second, { code: 1, total: 42, added: 0, present: 41, failed: { length: 2 } });
  t.is(second.upload_ids.length, 1, 'only what had failed was sent again');
  const shown = await loci.run(folder);
  t.is(shown.code, 1);
  t.regex(
    shown.stdout,
    /^0 added, 41 already present, 2 failed, of 42\.\nFailed:\n {2}.*empty\.txt: The file is empty\.\n {2}.*torn\.pdf: .+\n$/,
  );
  t.is(await loci.countContents(), 41);
});

test('a URL is crawled, and the command waits until its pages can be found', async (t) => {
  const site = await startSite({
    '/': htmlPage('drumlins', ['/a', '/b']),
    '/a': htmlPage('eskers'),
    '/b': htmlPage('kames', ['/deeper']),
    '/deeper': htmlPage('too deep'),
  });
  t.teardown(site.close);
  const loci = await startUpload();
  const folder = await folderOf(t, { 'notes.txt': 'Notes about moraines.' });
  const done = await loci.report(folder, `${site.origin}/`, '--crawl', '--max-depth', '1');
  t.like(done, { code: 0, total: 2, added: 2, waited: true, failed: [] });
  t.is(await loci.countContents(), 4);
  t.is((await loci.search('everything about eskers', { max_results: 1 }))[0]?.source, `${site.origin}/a`);
  t.is((await loci.run(folder, '--crawl')).code, 2, 'a crawl requires a URL');
});

test('after being killed, the same command completes the upload without duplicates', async (t) => {
  const loci = await startUpload();
  const count = 450;
  const folder = await folderOf(t, manyFiles(count, 'moraines'));
  let uploads = 0;
  const server = createServer((request, response) => {
    const isUpload = request.method === 'POST' && request.url?.endsWith('/upload') === true;
    if (isUpload) uploads += 1;
    const isLast = isUpload && uploads === 3;
    // The command is killed while it sends the third request.
    if (isLast) request.once('data', () => child.kill('SIGKILL'));
    else forward(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const child = loci.start([folder], `http://127.0.0.1:${port}`);
  t.is((await ending(child)).code, null);
  await until(loci.countContents, (present) => present > 0);
  const again = await loci.report(folder);
  t.like(again, { code: 0, total: count, failed: [] });
  t.true(again.present > 0);
  t.is(again.added + again.present, count);
  t.is(await loci.countContents(), count);
});

test('when interrupted, the command says how to continue and exits with code 130', async (t) => {
  const loci = await startUpload();
  const folder = await folderOf(t, manyFiles(3, 'eskers'));
  const server = createServer((request, response) => {
    if (request.method === 'POST') child.kill('SIGINT');
    else forward(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const child = loci.start([folder], `http://127.0.0.1:${port}`);
  const { code, stdout, stderr } = await ending(child);
  t.is(code, 130);
  t.is(stdout, '');
  t.regex(stderr, /Stopped after 0 of 3\. Run the same command again to continue/);
});

test('when interrupted while it waits, the command says that the ingestion continues, and how to continue', async (t) => {
  const loci = await startUpload();
  const folder = await folderOf(t, manyFiles(3, 'drumlins'));
  const server = createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url?.startsWith('/api/v1/uploads/') === true;
    if (isAsked) child.kill('SIGINT');
    else forward(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const child = loci.start([folder], `http://127.0.0.1:${port}`);
  const { code, stderr } = await ending(child);
  t.is(code, 130);
  t.regex(stderr, /Stopped waiting\. What was sent is still ingested; run the same command again to continue\.\n$/);
});

test('large files are streamed, using a fraction of their size in memory', async (t) => {
  const folder = await folderOf(t, { 'large.bin': '' });
  const sizeBytes = 768 * 1024 * 1024;
  await truncate(join(folder, 'large.bin'), sizeBytes);
  let received = 0;
  const server = createServer((request, response) => {
    request.on('data', (bytes: Buffer) => (received += bytes.length));
    request.once('end', () => response.end(JSON.stringify({ upload_id: null, uploads: [], errors: [] })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const program = `
    import { createLociClient } from '@loci/client';
    const loci = createLociClient({ baseUrl: 'http://127.0.0.1:${port}', apiKey: 'x' });
    await loci.upload({ collectionId: 'c', files: ['${join(folder, 'large.bin')}'] });
    console.log(process.resourceUsage().maxRSS);`;
  const args = ['--input-type=module', '--eval', program];
  const kibibytes = Number(await runCommand({ file: process.execPath, args, cwd: installed.folder }));
  t.true(received > sizeBytes);
  t.true(kibibytes > 0 && kibibytes * 1024 < sizeBytes / 3, `${kibibytes} KiB`);
});

test('a changed file of a folder replaces the content of its path; with --no-replace it is added beside', async (t) => {
  const loci = await startUpload();
  const folder = await folderOf(t, {
    'guides/start.md': '# Start\n\nThe quagga lives in the old north.',
    'notes/start.md': '# Start\n\nThe tarpan lives in the east.',
  });
  const name = basename(folder);
  t.like(await loci.report(folder), { code: 0, total: 2, added: 2, replaced: 0 });
  const contents = await loci.contents();
  t.deepEqual(
    contents.map((content) => [content.name, content.external_id]),
    ['guides/start.md', 'notes/start.md'].map((path) => [`${name}/${path}`, `path:${name}/${path}`]),
  );
  await writeFile(join(folder, 'guides/start.md'), '# Start\n\nThe quagga lives in the new south.');
  t.like(await loci.report(folder), { code: 0, total: 2, added: 0, replaced: 1, present: 1 });
  t.deepEqual(
    (await loci.search('quagga', { search_type: 'keyword' })).map(({ content }) => /old|new/.exec(content)?.[0]),
    ['new'],
  );
  t.deepEqual(
    (await loci.contents()).map(({ id }) => id),
    contents.map(({ id }) => id),
  );
  const again = await loci.run(folder);
  t.is(again.stdout, '0 added, 2 already present, 0 failed, of 2.\n');
  await writeFile(join(folder, 'notes/start.md'), 'The tarpan lives in the west.');
  t.like(await loci.report(folder, '--no-replace'), { code: 0, added: 1, replaced: 0, present: 1 });
  t.is((await loci.search('tarpan', { search_type: 'keyword' })).length, 2);
});

test('a file that is given by itself replaces its content with --replace only; a path that is given twice is reported', async (t) => {
  const loci = await startUpload();
  const folder = await folderOf(t, { 'a/x.txt': 'The dodo is heavy.', 'b/a/x.txt': 'The moa is tall.' });
  const file = join(folder, 'a/x.txt');
  t.like(await loci.report(file), { code: 0, added: 1 });
  await writeFile(file, 'The dodo is gone.');
  t.like(await loci.report(file), { code: 0, added: 1 });
  t.is((await loci.search('dodo', { search_type: 'keyword' })).length, 2, 'added beside');
  t.like(await loci.report(file, '--replace'), { code: 0, added: 1, replaced: 0 });
  await writeFile(file, 'The dodo is remembered.');
  t.like(await loci.report(file, '--replace'), { code: 0, added: 0, replaced: 1 });
  const twice = await loci.report(join(folder, 'a'), join(folder, 'b/a'), join(folder, 'a'));
  t.like(twice, { code: 1, added: 1, failed: [{ input: join(folder, 'b/a/x.txt'), code: 'repeated_path' }] });
  t.regex(twice.failed[0]?.message ?? '', /Another file of this upload has the path a\/x\.txt/);
});
