import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { readDocument, section, shellBlocks } from './markdown.ts';

/** Writes the status and URL of each response to standard error, one line each. */
const REPORTING_CURL = `curl() { command curl -w '%{stderr}%{http_code} %{url_effective}\\n' "$@"; }`;
const README_ADDRESS = 'http://127.0.0.1:8700';

/** Runs commands in a folder that looks like a checkout with a running service. Returns the status of every request. */
async function run(commands: string): Promise<{ status: number; url: string }[]> {
  const client = await freshClient();
  const collection = await client.createCollection('commands of the documents');
  const folder = await mkdtemp(join(tmpdir(), 'loci-commands-'));
  try {
    await mkdir(join(folder, '.loci'));
    await copyFile(join(PROJECT_DIR, 'README.md'), join(folder, 'README.md'));
    const connection = {
      base_url: testStack().baseUrl,
      api_key: client.key,
      collection_id: collection.id,
      admin_token: testStack().adminToken,
    };
    await writeFile(join(folder, '.loci', 'connection.json'), JSON.stringify(connection));
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
    const script = `set -eu\n${REPORTING_CURL}\n${commands}`;
    const options = { cwd: folder, env: { ...process.env, PATH, TMPDIR: folder }, timeout: 120_000 };
    const { stderr } = await promisify(execFile)('bash', ['-c', script], options);
    return [...stderr.matchAll(/^(\d{3}) (\S+)$/gm)].map(([, status, url = '']) => ({ status: Number(status), url }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function countCurls(commands: string): number {
  return commands.match(/\bcurl -sS/g)?.length ?? 0;
}

test('every command of docs/api.md works as printed', async (t) => {
  const commands = shellBlocks(readDocument('docs/api.md')).join('\n');
  const answers = await run(commands);
  t.is(answers.length, countCurls(commands));
  t.deepEqual(
    answers.filter(({ status }) => status < 200 || status > 299),
    [],
  );
});

test('the first upload and search of the README work as printed', async (t) => {
  const blocks = shellBlocks(section(readDocument('README.md'), '## First upload, first search'));
  const answers = await run(blocks.join('\n').replaceAll(README_ADDRESS, testStack().baseUrl));
  t.deepEqual(
    answers.map(({ status }) => status),
    [202, 200],
  );
});

test("the runbook's commands for rebuilding the search index work as printed", async (t) => {
  const [setup = ''] = shellBlocks(readDocument('docs/api.md'));
  const [commands = ''] = shellBlocks(section(readDocument('docs/operations.md'), '### Rebuilding the search index'));
  const upload = `curl -sS -H "X-API-Key: $LOCI_KEY" -H 'Prefer: wait=60' -F collection_id=$LOCI_COLLECTION \
    -F 'content=One.' -F 'files=@upload.txt' $LOCI/upload`;
  const workspace = 'LOCI_WORKSPACE=$(curl -sS -H "X-API-Key: $LOCI_KEY" $LOCI/workspaces | field .data[0].id)';
  const answers = await run(
    `${setup}\necho Two. > upload.txt\n${upload}\nLOCI_ADMIN=$(node -p "require('$LOCI_CONNECTION').admin_token")\n${workspace}\n${commands}`,
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    [202, 200, 202, 200],
  );
});
