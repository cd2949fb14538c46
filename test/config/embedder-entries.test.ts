import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { readConfig } from '#config/index.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
};
const SERVER = { provider: 'openai', base_url: 'http://127.0.0.1:8080/v1', model: 'm', dimensions: 8 };
const read = (embedders: unknown, others: Record<string, string> = {}) =>
  readConfig({ ...REQUIRED, ...others, LOCI_EMBEDDERS: JSON.stringify(embedders) });
function problemsIn(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
const problemsOf = (embedders: unknown, others: Record<string, string> = {}) =>
  problemsIn(() => read(embedders, others));

test('further embedders are read by name, each like the default one', (t) => {
  const { named } = read(
    {
      bge: { provider: 'local', preset: 'bge-small-en-v1.5', folder: '/models/bge' },
      tei: { ...SERVER, query_prefix: 'q: ', api_key: 'inline', max_tokens: 8_192 },
    },
    { LOCI_EMBEDDER_THREADS: '3' },
  ).embedder;
  t.like(named[0], { name: 'bge', provider: 'local', model: 'bge-small-en-v1.5', folder: '/models/bge', threads: 3 });
  t.like(named[1], {
    name: 'tei',
    model: 'm',
    dimensions: 8,
    prefixes: { query: 'q: ', document: '' },
    apiKey: 'inline',
    maxTokens: 8_192,
  });
  t.deepEqual(readConfig(REQUIRED).embedder.named, []);
});

test('every problem of further embedders is reported with its path, and never with a key', (t) => {
  t.deepEqual(
    problemsIn(() => readConfig({ ...REQUIRED, LOCI_EMBEDDERS: '{' })),
    ['LOCI_EMBEDDERS is not valid JSON'],
  );
  const named = (entries: object) => {
    const problems = problemsOf(entries);
    t.notRegex(problems.join(), /sk-secret/);
    return problems.map((problem) => /^LOCI_EMBEDDERS\.([^:]+?)(?: is.*)?(?::|$)/.exec(problem)?.[1]);
  };
  t.deepEqual(
    named({
      lama: { provider: 'ollama' },
      tei: { provider: 'openai', base_url: 'ftp://x', api_key: 'sk-secret', folder: 'x', preset: 'bge-m3' },
    }),
    ['lama.provider', 'tei.base_url', 'tei'],
  );
  const { model: _, ...nameless } = SERVER;
  t.deepEqual(
    named({
      bge: { provider: 'local', preset: 'bge-m3', dimensions: 4, query_prefix: 'q' },
      bare: { ...nameless, api_key: 'sk-secret', api_key_env: 'X' },
    }),
    ['bge.preset', 'bge.preset', 'bare.model', 'bare.api_key'],
  );
  t.deepEqual(
    named({
      few: { ...SERVER, max_tokens: 63 },
      narrow: { ...SERVER, max_tokens: 100, document_prefix: 'x'.repeat(200) },
      folder: { provider: 'local', model: 'm', max_tokens: 512 },
    }),
    ['few.max_tokens', 'narrow.max_tokens', 'folder'],
  );
  t.deepEqual(named({ default: SERVER, 'Not a name': SERVER }), ['default', 'Not a name']);
});

test('the key of an embedding server is in a variable or a file, which must exist', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-config-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'key');
  await writeFile(file, 'sk-file\n');
  const { named } = read(
    {
      one: { ...SERVER, api_key_env: 'EMBEDDING_KEY' },
      two: { ...SERVER, api_key_env: 'LOCI_MY_KEY' },
      three: { ...SERVER, api_key_file: file },
    },
    { EMBEDDING_KEY: 'sk-env', LOCI_MY_KEY_FILE: file },
  ).embedder;
  t.deepEqual(
    named.map((one) => one.provider === 'openai' && one.apiKey),
    ['sk-env', 'sk-file', 'sk-file'],
  );
  const absent = join(folder, 'absent');
  t.deepEqual(problemsOf({ one: { ...SERVER, api_key_env: 'ABSENT' }, two: { ...SERVER, api_key_file: absent } }), [
    'LOCI_EMBEDDERS.one.api_key_env names a variable that is not set: ABSENT',
    `LOCI_EMBEDDERS.two.api_key_file names a file that cannot be read: ${absent}`,
  ]);
});

test('a worker may embed for the API with a further local model alone', (t) => {
  const asking = { LOCI_EMBEDDER: 'lexical', LOCI_EMBEDDER_URL: 'http://w:8701', LOCI_EMBEDDER_TOKEN: 't'.repeat(32) };
  t.notThrows(() => read({ bge: { provider: 'local', preset: 'bge-m3' } }, asking));
  t.regex(problemsOf({ tei: SERVER }, asking).join(), /LOCI_EMBEDDER_URL is for local models/);
});
