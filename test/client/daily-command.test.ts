import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { folderOf } from './folders.ts';
import { ending, installCommand, type InstalledCommand } from './installed-command.ts';
import { startCommandOf } from './start-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});
const startCommand = () => startCommandOf(installed);

test('what is wrong with an input is said in a line, without a stack trace', async (t) => {
  const folder = await folderOf(t, { 'empty.txt': ' \n', 'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) });
  const environment = { LOCI_URL: 'http://127.0.0.1:1', LOCI_API_KEY: 'x' };
  const endingWith = async (expected: number, ...args: string[]) => {
    const { code, stdout, stderr } = await installed.run(args, { environment, cwd: folder });
    t.deepEqual([code, stdout], [expected, ''], args.join(' '));
    return stderr;
  };
  const messageOf = (...args: string[]) => endingWith(1, ...args);
  t.is(await messageOf('compress', 'nofile'), 'loci: nofile: The file does not exist.\n');
  t.is(await messageOf('compress', '.'), 'loci: .: This is a folder, not a file.\n');
  t.is(await messageOf('compress', 'image.png'), 'loci: image.png: This is not a text in UTF-8.\n');
  t.is(await messageOf('compress', 'empty.txt'), 'loci: There is nothing to compress: empty.txt is empty.\n');
  t.is(await endingWith(2, 'search', ''), 'loci: Say what to search for: loci search "how do otters sleep".\n');
  t.regex(await endingWith(2, 'memories', 'search', ' '), /^loci: Say what to search for: loci memories search .*\n$/);
  t.is(await messageOf('sync', 'nofolder'), 'loci: nofolder is not a folder that can be read.\n');
  t.like(JSON.parse(await messageOf('compress', 'nofile', '--json')), { error: { code: 'unreadable_file' } });
});

test('whatever is deleted needs a confirmation, which a script gives with --yes', async (t) => {
  const loci = await startCommand();
  const [item] = (await loci.upload(['file', new File(['Ospreys fish.'], 'osprey.txt')])).uploads;
  const workspace = await loci.json(CreatedWorkspace, 'workspaces', 'create', 'Aviary');
  const connection = await loci.json(Connection, 'connections', 'create', 'github', '--label', 'Code');
  const memory = await loci.json(z.object({ memory_id: z.string() }), 'memories', 'add', 'Likes birds', '-u', 'ada');
  const Made = z.object({ id: z.string() });
  const conversation = await loci.json(Made, 'conversations', 'create', 'Birds');
  const key = await loci.json(Made, 'keys', 'create', '-l', 'reader', '-p', 'collections:read');
  const webhook = await loci.json(Made, 'webhooks', 'create', 'https://example.com/loci');
  const asOther = ['--api-key', workspace.api_key.secret ?? ''];
  const deletions: [RegExp, string[]][] = [
    [/Delete "osprey\.txt"\?/, ['contents', 'delete', item?.content_id ?? '']],
    [/Delete the collection "flow" \(.*\) with 1 contents\?/, ['collections', 'delete', 'flow']],
    [/Delete the memory "Likes birds" and all/, ['memories', 'delete', memory.memory_id]],
    [/Delete the conversation "Birds"/, ['conversations', 'delete', conversation.id]],
    [/Revoke the API key "reader"\?/, ['keys', 'revoke', key.id]],
    [/Delete the webhook https:\/\/example\.com/, ['webhooks', 'delete', webhook.id]],
    [/Delete the connection to github "Code"/, ['connections', 'delete', connection.id]],
    [/Delete the workspace "Aviary" with all/, ['workspaces', 'delete', workspace.id, ...asOther]],
  ];
  for (const [question, command] of deletions) {
    const refused = await loci.run(...command);
    t.deepEqual([refused.code, refused.stdout], [1, ''], command.join(' '));
    t.regex(refused.stderr, question);
    t.regex(refused.stderr, /Nothing was done, because nobody can be asked here\. Add --yes to confirm\.\n$/);
  }
  t.is((await loci.search('ospreys')).length, 1);
  for (const [, command] of deletions) {
    const done = await loci.run(...command, '--yes');
    t.is(done.code, 0, `${command.join(' ')}: ${done.stderr}`);
  }
});

test('on a terminal, the command asks before it deletes', async (t) => {
  const loci = await startCommand();
  const answer = async (text: string) => {
    const command = `'${process.execPath}' '${join(installed.folder, 'node_modules/@loci/client/dist/cli/main.js')}' collections delete flow`;
    const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
      env: { ...process.env, ...loci.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (shown: Buffer) => {
      if (shown.includes('[y/N]')) child.stdin.write(text);
    });
    return ending(child);
  };
  const refused = await answer('n\n');
  t.is(refused.code, 1);
  t.regex(refused.stdout, /with 0 contents\? \[y\/N\] [^]*Nothing was done\./);
  const ended = await answer('\u0004');
  t.is(ended.code, 1);
  t.regex(ended.stdout, /\[y\/N\] [^]*Nothing was done\./, 'Ctrl-D is a no');
  t.notRegex(ended.stdout, /unexpected/);
  t.is((await loci.json(Collection, 'collections', 'get', 'flow')).status, 'active');
  t.is((await answer('y\n')).code, 0);
  t.is((await loci.run('collections', 'get', 'flow')).code, 1);
});

test('with --json, a note that a list goes on is on standard error', async (t) => {
  const loci = await startCommand();
  await loci.run('collections', 'create', 'second');
  const { code, stdout, stderr } = await loci.run('collections', 'list', '--limit', '1', '--json');
  t.deepEqual([code, stderr], [0, 'Only the first 1 are shown; use --limit for more.\n']);
  t.is(z.array(Collection).parse(JSON.parse(stdout)).length, 1);
});

test('a refused id does not hide what became of the others', async (t) => {
  const loci = await startCommand();
  const [first] = (await loci.upload(['file', new File(['Gneiss folds.'], 'gneiss.txt')])).uploads;
  const [last] = (await loci.upload(['file', new File(['Schist splits.'], 'schist.txt')])).uploads;
  const unknown = '0198c0de-0000-7000-8000-000000000001';
  const ids = [first?.content_id ?? '', unknown, last?.content_id ?? ''];
  const { code, stdout, stderr } = await loci.run('contents', 'delete', ...ids, '--yes', '--json');
  t.deepEqual([code, stderr], [1, '']);
  const Outcomes = z.array(z.object({ content_id: z.string(), status: z.string(), code: z.string().optional() }));
  t.deepEqual(Outcomes.parse(JSON.parse(stdout)), [
    { content_id: ids[0] ?? '', status: 'deleting' },
    { content_id: unknown, status: 'refused', code: 'not_found' },
    { content_id: ids[2] ?? '', status: 'deleting' },
  ]);
});

test('connections and workspaces are created, listed, shown and changed', async (t) => {
  const loci = await startCommand();
  const folder = await folderOf(t, { 'secrets.json': '{"refresh_token":"r"}', 'broken.json': '[1]' });
  const args = ['connections', 'create', 'github', '-u', 'ada', '--credentials'];
  const made = await loci.json(Connection, ...args, join(folder, 'secrets.json'));
  t.like(made, { integration: 'github', user_id: 'ada', status: 'active' });
  t.regex(
    (await loci.run(...args, join(folder, 'broken.json'))).stderr,
    /^loci: The credentials are not a JSON object/,
  );
  t.regex(
    (await loci.run('connections', 'list', '-i', 'github')).stdout,
    new RegExp(`^ID .*\\n${made.id} +active +github +ada`),
  );
  t.is((await loci.json(Connection, 'connections', 'get', made.id)).id, made.id);
  const revealed = await loci.json(ConnectionDetail, 'connections', 'get', made.id, '--credentials');
  t.deepEqual(revealed.credentials, { refresh_token: 'r' });
  t.regex((await loci.run('connections', 'authorize', made.id)).stderr, /^loci: /);

  const { id, api_key } = await loci.json(CreatedWorkspace, 'workspaces', 'create', 'Field notes');
  const asOther = ['--api-key', api_key.secret ?? ''];
  t.regex((await loci.run('workspaces', 'rename', id, 'Notes', ...asOther)).stdout, /name +Notes/);
  t.regex((await loci.run('workspaces', 'list', ...asOther)).stdout, /^ID +CREATED +NAME\n.* Notes\n$/);
  t.regex((await loci.run('workspaces', 'list', '--all', '--limit', '0')).stdout, new RegExp(id));
  const { LOCI_ADMIN_TOKEN: _, ...environment } = loci.environment;
  const refused = await installed.run(['workspaces', 'create', 'x'], { environment });
  t.regex(refused.stderr, /^loci: This needs the administrator token .*LOCI_ADMIN_TOKEN/);
});

test('a hit shows its headings and the sentence that matches; --explain shows why it was found', async (t) => {
  const loci = await startCommand();
  const filler = Array.from({ length: 12 }, (_, index) => `Paragraph ${index} is about something else.`).join(' ');
  const text = `# Birds\n\n## Waders\n\n${filler} The avocet sweeps its bill from side to side. ${filler}`;
  await loci.upload(['file', new File([text], 'birds.md')]);
  const found = await loci.run('search', 'how do avocets sweep', '-c', 'flow', '--type', 'keyword');
  t.regex(
    found.stdout,
    /^1\. birds\.md {2}\(.*\)\n {3}Birds > Waders\n {3}… The avocet sweeps its bill from side to side\. Paragraph 0/,
  );
  const why = await loci.run('search', 'avocet', '-c', 'flow', '--explain');
  t.regex(why.stdout, /\n {3}keyword: rank 1, score \d+\.\d{3}; vector: rank 1, score \d+\.\d{3}\n$/);
  const json = await loci.json(SearchResponse, 'search', 'avocet', '-c', 'flow', '--explain');
  t.truthy(json.results[0]?.explain);
  const reranked = await loci.run('search', 'avocet', '-c', 'flow', '--rerank-depth', '5', '--explain');
  t.regex(reranked.stdout, /\nNot reranked: No reranker is configured .*LOCI_RERANK_FOLDER\.\n$/);
});

test('a hit shows its page, and a text without any word of the query its beginning', async (t) => {
  const built = join(installed.folder, 'node_modules/@loci/client/dist/cli/format-hit.js');
  const { formatHit } = (await import(built)) as { formatHit: (hit: unknown, of: unknown) => string };
  const content = 'Herons wait. They are patient.\nThey catch fish.';
  const hit = {
    content,
    content_id: 'c',
    score: 0.5,
    source: 'a.pdf',
    metadata: {},
    chunk: { page: 3, heading_path: [] },
  };
  t.is(formatHit(hit, { rank: 1, query: 'fishes' }), '1. a.pdf  (0.500, c)\n   page 3\n   … They catch fish.');
  t.is(
    formatHit({ ...hit, chunk: {} }, { rank: 2, query: 'grey' }),
    '2. a.pdf  (0.500, c)\n   Herons wait. They are patient. They catch fish.',
  );
});

test('two collections of one name are told apart by their ids', async (t) => {
  const loci = await startCommand();
  const ids = [];
  for (const about of ['first', 'second']) {
    ids.push((await loci.json(Collection, 'collections', 'create', 'Twin', '-d', about)).id);
  }
  const { code, stderr } = await loci.run('search', 'x', '-c', 'Twin');
  t.is(code, 1);
  t.regex(
    stderr,
    new RegExp(
      `^loci: 2 collections are called "Twin"\\. Use the id of one:\\n {2}${ids[0]} .*first\\n {2}${ids[1]} .*second\\n$`,
    ),
  );
  t.is((await loci.run('search', 'x', '-c', ids[1] ?? '')).stdout, 'No results.\n');
  const key = await loci.run('keys', 'create', '-p', 'collections:read', '-c', 'Twin');
  t.regex(key.stderr, /2 collections are called/);
  t.is((await loci.run('keys', 'create', '-p', 'collections:read', '-c', 'flow')).code, 0);
});

test('a collection is found by name behind the first page of those whose names contain it', async (t) => {
  const loci = await startCommand();
  // A page ends at 2 MiB.
  const meta_data = { filling: 'x'.repeat(60_000) };
  for (let index = 0; index < 36; index += 1) {
    await loci.api.post('/collections', Collection, { json: { name: `Egrets ${index}`, meta_data }, status: 201 });
  }
  const { id } = await loci.json(Collection, 'collections', 'create', 'Egrets');
  t.is((await loci.json(Collection, 'collections', 'get', 'Egrets')).id, id);
});

test('npm run client says what it built and how to call it', async (t) => {
  const child = spawn(process.execPath, ['test/tools/build-client.ts']);
  const { code, stdout } = await ending(child);
  t.is(code, 0);
  const { version }: { version: string } = JSON.parse(await readFile('client/package.json', 'utf8'));
  t.regex(stdout, new RegExp(`^(Built|Up to date:) @loci/client ${version} in client/dist`));
  const [, called = ''] = /to call it here +node (\S+) --help/.exec(stdout) ?? [];
  t.is((await ending(spawn(process.execPath, [called, '--version']))).stdout, `${version}\n`);
});
