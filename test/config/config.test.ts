import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { readConfig } from '#config/index.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: '1:x',
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
};

test('reports every configuration problem at once, with its variable', (t) => {
  const environment = { LOCI_PORT: 'x', LOCI_MAX_FILE_BYTES: '0', LOCI_EMBEDDER: 'other', LOCI_PUBLIC_URL: 'nowhere' };
  const { problems } = t.throws(() => readConfig(environment), { instanceOf: ConfigError });
  const named = problems.map((problem) => /^LOCI_\w+/.exec(problem)?.[0] ?? problem);
  const wrong = [...Object.keys(environment), ...Object.keys(REQUIRED)];
  t.deepEqual(
    named.toSorted((one, other) => one.localeCompare(other)),
    wrong.toSorted((one, other) => one.localeCompare(other)),
  );
  t.true(problems.includes('LOCI_PORT is not a number'));
});

test('reports all missing settings of an embedder together', (t) => {
  const { problems } = t.throws(() => readConfig({ ...REQUIRED, LOCI_EMBEDDER: 'openai' }), {
    instanceOf: ConfigError,
  });
  t.is(problems.length, 3);
});

test('reads a setting from a file, and names a file that cannot be read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-config-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'pepper');
  await writeFile(file, `${'q'.repeat(40)}\n`);
  const { LOCI_API_KEY_PEPPER: _, ...others } = REQUIRED;
  t.is(readConfig({ ...others, LOCI_API_KEY_PEPPER_FILE: file }).secrets.apiKeyPepper, 'q'.repeat(40));
  const absent = join(folder, 'absent');
  const { problems } = t.throws(() => readConfig({ ...REQUIRED, LOCI_WEAVIATE_API_KEY_FILE: absent }), {
    instanceOf: ConfigError,
  });
  t.deepEqual(problems, [`LOCI_WEAVIATE_API_KEY_FILE names a file that cannot be read: ${absent}`]);
});

test('treats an empty variable as unset', (t) => {
  t.deepEqual(readConfig({ ...REQUIRED, LOCI_PORT: '', LOCI_OPENAI_DIMENSIONS: '' }), readConfig(REQUIRED));
});

test('reports all missing settings of bearer tokens together, and allows one source of keys', (t) => {
  const problemsOf = (environment: NodeJS.ProcessEnv) =>
    t.throws(() => readConfig({ ...REQUIRED, ...environment }), { instanceOf: ConfigError }).problems;
  const secret = 's'.repeat(32);
  t.is(problemsOf({ LOCI_JWT_SECRET: secret }).length, 2);
  t.is(problemsOf({ LOCI_JWT_ISSUER: 'i', LOCI_JWT_AUDIENCE: 'a' }).length, 1);
  t.is(problemsOf({ LOCI_JWT_SECRET: 'short', LOCI_ADMIN_TOKEN: 'short', LOCI_JWT_JWKS_URL: 'file:///etc' }).length, 3);
  const both = { LOCI_JWT_SECRET: secret, LOCI_JWT_JWKS_URL: 'https://issuer.example/jwks' };
  t.deepEqual(problemsOf({ ...both, LOCI_JWT_ISSUER: 'i', LOCI_JWT_AUDIENCE: 'a' }), [
    'LOCI_JWT_JWKS_URL and LOCI_JWT_SECRET exclude each other: set one',
  ]);
  const { access } = readConfig({ ...REQUIRED, LOCI_JWT_SECRET: secret, LOCI_JWT_ISSUER: 'i', LOCI_JWT_AUDIENCE: 'a' });
  t.deepEqual(access.tokens, { keys: { secret }, issuer: 'i', audience: 'a' });
  t.is(readConfig(REQUIRED).access.tokens, null);
});

test('accepts origins or * as allowed page origins', (t) => {
  const { problems } = t.throws(
    () => readConfig({ ...REQUIRED, LOCI_CORS_ORIGINS: 'https://a.example/,b.example,https://c.example:8443,*' }),
    { instanceOf: ConfigError },
  );
  t.deepEqual(
    problems.map((problem) => /'(.*)'/.exec(problem)?.[1]),
    ['https://a.example/', 'b.example'],
  );
});
