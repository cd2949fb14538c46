import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { ApiKey } from '#domain/records/api-key.ts';
import { Collection } from '#domain/records/collection.ts';
import { Reembedding } from '#domain/records/reindexing.ts';
import { Content } from '#domain/records/content.ts';
import { Conversation } from '#domain/records/conversation.ts';
import { MemoryRecord, MemoryVersion, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { Message } from '#domain/records/message.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { folderOf } from './folders.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';
import { startCommandOf } from './start-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});
const startCommand = () => startCommandOf(installed);

test('collections are created, found by name, searched, archived and deleted', async (t) => {
  const loci = await startCommand();
  const args = ['collections', 'create', 'Handbooks', '--description', 'All of them', '--tag', 'a', '--tag', 'b'];
  const made = await loci.json(Collection, ...args, '--embedder', 'lexical');
  t.like(made, { name: 'Handbooks', description: 'All of them', tags: ['a', 'b'] });
  const uploaded = await loci.run(
    'upload',
    '--text',
    'Otters hold hands.',
    '--collection',
    'Handbooks',
    '-m',
    '{"lang":"en"}',
  );
  t.like(uploaded, { code: 0, stdout: '1 added, 0 already present, 0 failed, of 1.\n', stderr: '' });
  const found = await loci.json(SearchResponse, 'search', 'otters', 'hands', '-c', 'Handbooks', '-f', '{"lang":"en"}');
  t.is(found.results.length, 1);
  t.is(found.query, 'otters hands');
  const shown = await loci.run('search', 'otters', '-c', 'Handbooks', '--type', 'keyword');
  t.regex(shown.stdout, /^1\. text {2}\(\d+\.\d{3}, .*\)\n {3}Otters hold hands\.\n$/);
  const listed = await loci.json(z.array(Collection), 'collections', 'list');
  t.deepEqual(
    listed.map(({ name }) => name),
    ['flow', 'Handbooks'],
  );
  t.deepEqual((await loci.json(z.array(Collection), 'collections', 'list', '--limit', '1')).length, 1);
  t.regex((await loci.run('collections', 'list')).stdout, /^ID +STATUS +CREATED +NAME\n.*\n.* Handbooks\n$/);
  t.is((await loci.json(Collection, 'collections', 'archive', 'Handbooks')).status, 'archived');
  t.is((await loci.json(Collection, 'collections', 'unarchive', 'Handbooks')).status, 'active');
  const reembed = ['collections', 'reembed', 'Handbooks'] as const;
  t.is((await loci.json(Reembedding, ...reembed, '--embedder', 'lexical')).status, 'completed');
  t.regex((await loci.run(...reembed, '--show')).stdout, /already: nothing to do/);
  t.is((await loci.run(...reembed, '--control', 'pause')).code, 1);
  t.is((await loci.json(Collection, 'collections', 'get', made.id)).name, 'Handbooks');
  await loci.json(z.object({ deletion_id: z.string() }), 'collections', 'delete', made.id, '--yes');
  const gone = await loci.run('search', 'otters', '-c', 'Handbooks');
  t.is(gone.code, 1);
  t.regex(gone.stderr, /no collection called "Handbooks".*loci collections create/);
});

test('contents are listed, shown, retried and deleted', async (t) => {
  const loci = await startCommand();
  const [good] = (await loci.upload(['file', new File(['Basalt cools fast.'], 'basalt.txt')])).uploads;
  const [bad] = (await loci.upload(['file', new File([' \n '], 'blank.txt')])).uploads;
  if (!good || !bad) throw new Error('the upload was rejected');
  const failed = await loci.json(z.array(Content), 'contents', 'list', '--status', 'failed');
  t.deepEqual(
    failed.map(({ id }) => id),
    [bad.content_id],
  );
  t.is((await loci.json(Content, 'contents', 'get', good.content_id)).name, 'basalt.txt');
  t.regex((await loci.run('contents', 'list', '-c', 'flow')).stdout, /basalt\.txt[^]*blank\.txt/);
  const Outcomes = z.array(z.object({ content_id: z.string(), status: z.string() }));
  t.is((await loci.json(Outcomes, 'contents', 'retry', bad.content_id)).length, 1);
  const conflict = await loci.run('contents', 'retry', good.content_id);
  t.is(conflict.code, 1);
  t.regex(conflict.stdout, new RegExp(`^${good.content_id}  refused  .*\\n$`));
  t.deepEqual(
    await loci
      .json(Outcomes, 'contents', 'delete', good.content_id, bad.content_id, '--yes')
      .then((all) => all.map(({ status }) => status)),
    ['deleting', 'deleting'],
  );
  // They are listed with status `deleting` until they have been removed.
  await eventually('none', async () => (await loci.run('contents', 'list', '--json')).stdout.trim() === '[]');
});

test('memories are added, searched, updated and deleted, and have a history', async (t) => {
  const loci = await startCommand();
  const args = ['memories', 'add', '--topic', 'drinks', 'Prefers tea', '--user', 'ada', '-m', '{"sure":true}'];
  const { memory_id: id } = await loci.json(MemoryRecord, ...args);
  await loci.json(MemoryRecord, 'memories', 'add', 'Lives in Oslo', '--user', 'ada');
  const method = ['--user', 'ada', '--method', 'keyword'];
  const found = await loci.json(SearchMemoriesResponse, 'memories', 'search', 'tea', ...method);
  t.like(found.memories, [{ memory_id: id, topics: ['drinks'], metadata: { sure: true } }]);
  t.like(await loci.json(MemoryRecord, 'memories', 'update', id, '--user', 'ada', '--text', 'Prefers coffee'), {
    memory: 'Prefers coffee',
    topics: ['drinks'],
  });
  const versions = await loci.json(z.array(MemoryVersion), 'memories', 'history', id);
  t.deepEqual(
    versions.map(({ memory }) => memory),
    ['Prefers coffee', 'Prefers tea'],
  );
  t.regex((await loci.run('memories', 'list', '--user', 'ada')).stdout, /Prefers coffee/);
  t.is((await loci.run('memories', 'delete', id, '-y')).code, 0);
  t.is((await loci.run('memories', 'get', id)).code, 1);
  t.is((await loci.json(z.array(MemoryRecord), 'memories', 'list')).length, 1);
});

test('conversations are created, continued, listed, ended and deleted', async (t) => {
  const loci = await startCommand();
  const { id } = await loci.json(
    Conversation,
    'conversations',
    'create',
    'Planning the move',
    '--user',
    'ada',
    '-c',
    'flow',
  );
  await loci.json(z.array(Message), 'conversations', 'add', id, 'When do we move?', '--sender', 'ada');
  await loci.json(z.array(Message), 'conversations', 'add', id, 'In May.', '--role', 'assistant');
  const messages = await loci.json(z.array(Message), 'conversations', 'messages', id);
  t.like(messages, [
    { content: 'When do we move?', sender_id: 'ada' },
    { content: 'In May.', role: 'assistant' },
  ]);
  t.is((await loci.json(z.array(Conversation), 'conversations', 'list', '--search', 'planing move')).length, 1);
  t.is((await loci.json(z.array(Conversation), 'conversations', 'list', '--status', 'ended')).length, 0);
  t.is((await loci.json(Conversation, 'conversations', 'end', id)).status, 'ended');
  t.is((await loci.json(Conversation, 'conversations', 'archive', id)).status, 'archived');
  t.is((await loci.run('conversations', 'delete', id, '-y')).code, 0);
  t.is((await loci.run('conversations', 'get', id)).code, 1);
});

test('a key is created with its secret, limited to its permissions, rotated and revoked', async (t) => {
  const loci = await startCommand();
  const create = [
    'keys',
    'create',
    '--label',
    'reader',
    '-p',
    'collections:read',
    '-p',
    'contents:read',
    '-c',
    loci.collectionId,
  ];
  const made = await loci.json(ApiKey, ...create);
  const as = (secret: string | null, ...args: string[]) => loci.run(...args, '--api-key', secret ?? '');
  t.is((await as(made.secret, 'collections', 'list')).code, 0);
  const refused = await as(made.secret, 'collections', 'create', 'x');
  t.is(refused.code, 1);
  t.regex(refused.stderr, /collections:write/);
  const listed = await loci.json(z.array(ApiKey), 'keys', 'list');
  t.true(listed.some(({ id, secret }) => id === made.id && secret === null));
  const rotated = await loci.json(ApiKey, 'keys', 'rotate', made.id);
  t.is((await as(rotated.secret, 'collections', 'list')).code, 0);
  t.is((await loci.run('keys', 'revoke', made.id, '--yes')).code, 0);
  const ended = await as(rotated.secret, 'collections', 'list', '--json');
  t.is(ended.code, 1);
  t.is(ended.stdout, '');
  t.like(JSON.parse(ended.stderr), { error: { status: 401, code: 'unauthorized' } });
});

test('the connection file is found in the working directory and its parents, and a stale one is reported', async (t) => {
  const { key, collectionId } = await startFlow();
  const folder = await projectFolder(t, {
    base_url: testStack().baseUrl,
    api_key: key,
    collection_id: collectionId,
    pid: process.pid,
  });
  const below = join(folder, 'a', 'b');
  await mkdir(below, { recursive: true });
  const uploaded = await installed.run(['upload', '--text', 'Slate splits.', '--json'], { cwd: below });
  t.like(JSON.parse(uploaded.stdout), { collection_id: collectionId, added: 1, failed: [] });
  t.regex((await installed.run(['search', 'slate'], { cwd: below })).stdout, /Slate splits/);
  const away = await unusedAddress();
  const elsewhere = await installed.run(['search', 'slate', '-c', collectionId, '--base-url', away], { cwd: below });
  t.regex(
    elsewhere.stderr,
    /Cannot reach http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\. Is it running\? Start it with npm start/,
  );

  const ended = installed.start(['--version']);
  await new Promise((resolve) => ended.once('exit', resolve));
  const stale = await projectFolder(t, { base_url: testStack().baseUrl, api_key: key, pid: ended.pid });
  const left = await installed.run(['search', 'slate'], { cwd: stale });
  t.is(left.code, 1);
  t.regex(left.stderr, /not running.*connection\.json.*npm start/);
  const nothing = await installed.run(['search', 'slate'], { cwd: await folderOf(t) });
  t.regex(nothing.stderr, /Start Loci here with npm start, or give its address and a key/);
});

test('control characters in stored text are not printed to the terminal', async (t) => {
  const loci = await startCommand();
  const memory = 'Marble \u001b[31mred\u001b]0;owned\u0007 and \u009b2Jwhite.';
  await loci.json(MemoryRecord, 'memories', 'add', memory, '--user', 'ada');
  const { stdout } = await loci.run('memories', 'list');
  t.regex(stdout, /Marble red.* and .*white/);
  // oxlint-disable-next-line no-control-regex
  t.notRegex(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('a wrong key and a missing collection option print a message and exit with code 1', async (t) => {
  const { baseUrl } = testStack();
  const wrong = await installed.run(['collections', 'list', '--base-url', baseUrl, '--api-key', 'loci_no']);
  t.is(wrong.code, 1);
  t.regex(
    wrong.stderr,
    /^loci: .* Check the key \(--api-key, LOCI_API_KEY\) or the token \(--token, LOCI_TOKEN, LOCI_ADMIN_TOKEN\)\.\n$/,
  );
  const { run } = await startCommand();
  const nowhere = await run('search', 'x');
  t.is(nowhere.code, 1);
  t.regex(nowhere.stderr, /--collection/);
});

/** An address that was free a moment ago, on which nothing listens. */
async function unusedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function projectFolder(t: ExecutionContext, connection: object): Promise<string> {
  const folder = await folderOf(t);
  await mkdir(join(folder, '.loci'));
  await writeFile(join(folder, '.loci', 'connection.json'), JSON.stringify(connection));
  return folder;
}
