import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ConfigError } from '#config/config-error.ts';
import { Environment } from '#config/environment.ts';
import { readConfig } from '#config/index.ts';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { loadDataConverter } from '#workers/temporal-connection.ts';

const REQUIRED = {
  LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
  LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
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

test('a time that becomes a timer has a maximum that a timer can have', (t) => {
  const LONGEST_TIMER_MS = 2 ** 31 - 1;
  // A streamed answer may take longer than the silences of its model, and a document of a crawl longer than a page. Pauses are varied.
  const factors: Readonly<Record<string, number>> = { LOCI_CHAT_TIMEOUT_S: 5, LOCI_CRAWL_PAGE_TIMEOUT_S: 4 };
  const times = Object.keys(Environment.shape).filter((name) => /_M?S$/.test(name));
  t.true(times.length >= 10);
  for (const name of times) {
    // These are written to the database.
    if (name === 'LOCI_WEBHOOK_WAITS_S') continue;
    const { problems } = t.throws(() => readConfig({ ...REQUIRED, [name]: '999999999999' }), {
      instanceOf: ConfigError,
    });
    const maximum = Number(new RegExp(`^${name}: must be at most (\\d+)$`).exec(problems.join())?.[1]);
    const longestMs = maximum * (name.endsWith('_MS') ? 1 : 1_000) * (factors[name] ?? 2);
    t.true(longestMs < LONGEST_TIMER_MS, `${name} may be ${maximum}`);
    t.notThrows(() => readConfig({ ...REQUIRED, [name]: String(maximum) }));
  }
});

test('reports all missing settings of an embedder together', (t) => {
  const { problems } = t.throws(() => readConfig({ ...REQUIRED, LOCI_EMBEDDER: 'openai' }), {
    instanceOf: ConfigError,
  });
  t.is(problems.length, 3);
});

test('a reranking server and a local model exclude each other, and the time limit may be a part of a second', (t) => {
  const server = { ...REQUIRED, LOCI_RERANK_BASE_URL: 'http://127.0.0.1:8080', LOCI_RERANK_TIMEOUT_S: '0.3333' };
  t.like(readConfig(server).reranker, { timeoutMs: 333, folder: null, threads: 1, passageCharacters: 4_000 });
  const { problems } = t.throws(() => readConfig({ ...server, LOCI_RERANK_FOLDER: '/models/m' }), {
    instanceOf: ConfigError,
  });
  t.deepEqual(problems, ['LOCI_RERANK_BASE_URL and LOCI_RERANK_FOLDER are two rerankers: set one of them']);
});

test('a preset names the model, and an embedding server then needs no dimensions', (t) => {
  const known = { ...REQUIRED, LOCI_EMBEDDER_PRESET: 'bge-small-en-v1.5' };
  t.like(readConfig(known).embedder, { model: 'bge-small-en-v1.5', preset: 'bge-small-en-v1.5' });
  const served = { ...known, LOCI_EMBEDDER: 'openai', LOCI_OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1' };
  t.is(readConfig({ ...served, LOCI_EMBEDDER_MODEL: 'BAAI/bge' }).embedder.model, 'BAAI/bge');
  const { problems } = t.throws(() => readConfig({ ...REQUIRED, LOCI_EMBEDDER_PRESET: 'bge' }), {
    instanceOf: ConfigError,
  });
  t.regex(problems.join(), /LOCI_EMBEDDER_PRESET.*bge-small-en-v1\.5/);
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

test('settings that could not work are refused, and those that are clear are understood', (t) => {
  const wrong = {
    LOCI_PUBLIC_URL: 'loci.example.com:8700',
    LOCI_WEAVIATE_URL: 'weaviate:8080',
    LOCI_CHAT_BASE_URL: 'localhost:11434/v1',
    LOCI_OPENAI_BASE_URL: 'localhost:8080/v1',
    LOCI_MCP_HOSTS: 'loci.example.com:8443',
    LOCI_ADMIN_TOKEN: `loci_${'x'.repeat(32)}`,
  };
  for (const [name, value] of Object.entries(wrong)) {
    const { problems } = t.throws(() => readConfig({ ...REQUIRED, [name]: value }), { instanceOf: ConfigError }, name);
    t.true(problems.length === 1 && problems[0]?.startsWith(name), String(problems));
  }
  const { problems } = t.throws(
    () => readConfig({ ...REQUIRED, LOCI_API_KEY_PEPPER_FILE: import.meta.filename, LOCI_LOG_LEVEL: 'info' }),
    { instanceOf: ConfigError },
  );
  t.deepEqual(problems, ['LOCI_API_KEY_PEPPER and LOCI_API_KEY_PEPPER_FILE are both set: set one of them']);
  t.is(
    readConfig({ ...REQUIRED, LOCI_PUBLIC_URL: 'https://loci.example.com/' }).api.publicUrl,
    'https://loci.example.com',
  );
  const id = '0198C0DE-0000-7000-8000-00000000000B';
  t.notThrows(() => readConfig({ ...REQUIRED, LOCI_MCP_HOSTS: '[::1],loci.example.com' }));
  t.true(JSON.stringify(readConfig({ ...REQUIRED, LOCI_OPERATOR_WORKSPACES: id })).includes(id.toLowerCase()));
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

test('a client for signing in needs bearer tokens of an issuer that is a URL', (t) => {
  const client = { LOCI_CONSOLE_OIDC_CLIENT_ID: 'console' };
  const tokens = { LOCI_JWT_SECRET: 's'.repeat(32), LOCI_JWT_AUDIENCE: 'a' };
  for (const wrong of [client, { ...client, ...tokens, LOCI_JWT_ISSUER: 'i' }]) {
    t.regex(t.throws(() => readConfig({ ...REQUIRED, ...wrong })).message, /LOCI_CONSOLE_OIDC_CLIENT_ID needs bearer/);
  }
  const { access } = readConfig({ ...REQUIRED, ...client, ...tokens, LOCI_JWT_ISSUER: 'https://i.example' });
  const parameters = {};
  t.deepEqual(access.signIn, { issuer: 'https://i.example', client_id: 'console', scopes: ['openid'], parameters });
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

test('/mcp answers to the host of the public URL and to the named ones, which are names without ports', (t) => {
  const settings = {
    LOCI_PUBLIC_URL: 'https://Loci.example:8443/base',
    LOCI_MCP_HOSTS: 'loci-api,LOCI.internal',
    LOCI_MCP_SCOPES: 'openid, offline_access',
  };
  t.deepEqual(readConfig({ ...REQUIRED, ...settings }).mcp, {
    hosts: ['loci.example', 'loci-api', 'loci.internal'],
    publicUrl: 'https://Loci.example:8443/base',
    issuer: null,
    scopes: ['openid', 'offline_access'],
  });
  t.deepEqual(readConfig(REQUIRED).mcp, { hosts: [], publicUrl: null, issuer: null, scopes: [] });
  const { problems } = t.throws(() => readConfig({ ...REQUIRED, LOCI_MCP_HOSTS: 'a:80,https://b,*' }), {
    instanceOf: ConfigError,
  });
  t.deepEqual(
    problems.map((problem) => /'(.*?)'/.exec(problem)?.[1]),
    ['a:80', 'https://b'],
  );
});

test('settings of the connection to Temporal turn TLS on, and contradictions are reported', (t) => {
  const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const KEY = CERTIFICATE.replaceAll('CERTIFICATE', 'EC PRIVATE KEY');
  const read = (environment: NodeJS.ProcessEnv) => readTemporalSettings(environment);
  t.is(read({}).tls, null);
  t.deepEqual(read({ LOCI_TEMPORAL_TLS: 'true' }).tls, { authority: null, serverName: null, client: null });
  t.not(read({ LOCI_TEMPORAL_API_KEY: 'k' }).tls, null);
  t.is(read({ LOCI_TEMPORAL_API_KEY: 'k', LOCI_TEMPORAL_TLS: 'false' }).tls, null);
  const client = { LOCI_TEMPORAL_TLS_CERT: CERTIFICATE, LOCI_TEMPORAL_TLS_KEY: KEY };
  t.deepEqual(read(client).tls?.client, { certificate: CERTIFICATE, key: KEY });
  t.deepEqual(readConfig({ ...REQUIRED, ...client }).temporal, read(client));
  const problemsOf = (environment: NodeJS.ProcessEnv) =>
    t.throws(() => readConfig({ ...REQUIRED, ...environment }), { instanceOf: ConfigError }).problems;
  t.deepEqual(problemsOf({ LOCI_TEMPORAL_TLS_CERT: CERTIFICATE }), [
    'LOCI_TEMPORAL_TLS_CERT and LOCI_TEMPORAL_TLS_KEY go together: set both or neither',
  ]);
  t.regex(problemsOf({ ...client, LOCI_TEMPORAL_TLS: 'false' })[0] ?? '', /LOCI_TEMPORAL_TLS=false contradicts/);
  t.regex(problemsOf({ LOCI_TEMPORAL_TLS_CA: '/etc/ca.pem' })[0] ?? '', /^LOCI_TEMPORAL_TLS_CA is not PEM.*_FILE/);
  t.regex(problemsOf({ LOCI_TEMPORAL_TLS: 'yes' })[0] ?? '', /^LOCI_TEMPORAL_TLS: /);
});

test('addresses for gRPC are a host with its port, and anything else is reported', (t) => {
  const read = (environment: NodeJS.ProcessEnv) => readConfig({ ...REQUIRED, ...environment });
  for (const host of ['temporal', 'my_temporal', '10.0.0.1', 'a.b-c.example', '[::1]'])
    t.notThrows(() => read({ LOCI_TEMPORAL_ADDRESS: `${host}:7233`, LOCI_WEAVIATE_GRPC: `${host}:50051` }), host);
  t.is(read({ LOCI_TEMPORAL_ADDRESS: 'temporal' }).temporal.address, 'temporal');
  for (const wrong of [
    'http://temporal:7233/',
    'https://x:1',
    'fe80::1',
    'temporal:port',
    ':1',
    'user:secret@temporal:7233',
  ])
    for (const name of ['LOCI_TEMPORAL_ADDRESS', 'LOCI_WEAVIATE_GRPC']) {
      const error = t.throws(() => read({ [name]: wrong }), { instanceOf: ConfigError }, `${name}=${wrong}`);
      t.regex(error.problems[0] ?? '', new RegExp(`^${name}.* is not an address: write host.*without http`));
    }
  t.throws(() => read({ LOCI_WEAVIATE_GRPC: 'weaviate' }), { instanceOf: ConfigError, message: /write host:port/ });
});

test('a codec that cannot be loaded, or is none, is reported with its setting', async (t) => {
  const load = (path: string) => loadDataConverter(readTemporalSettings({ LOCI_TEMPORAL_CODEC: path }));
  await t.throwsAsync(load('/nowhere/codec.js'), {
    instanceOf: ConfigError,
    message: /LOCI_TEMPORAL_CODEC: .*cannot be loaded/,
  });
  await t.throwsAsync(load('config/config-error.ts'), { instanceOf: ConfigError, message: /is not a codec: export/ });
  t.is((await load('test/support/fixtures/masking-codec.ts')).payloadCodecs?.length, 1);
});
