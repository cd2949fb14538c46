import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Environment } from '#config/environment.ts';
import { readConfig } from '#config/index.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { modelFolderOf } from '#providers/embedders/model-folder.ts';
import { PRESET_NAMES, presetOf } from '#providers/embedders/model-presets.ts';

const compose = readFileSync('docker-compose.yml', 'utf8');
const image = readFileSync('Dockerfile', 'utf8');

/** Settings that the containers rely on: the published and the checked ports, and folders of the image and the volume. */
const FIXED_BY_THE_IMAGE = [
  'LOCI_HOST',
  'LOCI_PORT',
  'LOCI_WORKER_PORT',
  'LOCI_BLOB_DIR',
  'LOCI_WORK_DIR',
  'LOCI_CACHE_DIR',
];
/** Settings that name other containers. */
const FIXED_BY_COMPOSE = [
  'LOCI_DATABASE_URL',
  'LOCI_TEMPORAL_ADDRESS',
  'LOCI_WEAVIATE_URL',
  'LOCI_WEAVIATE_GRPC',
  'LOCI_WEAVIATE_API_KEY',
];

/** The lines of the environment that the API, the worker and the migration share, by variable. */
function sharedEnvironment(): Map<string, string> {
  const block = /environment: &loci-environment\n((?: {4}(?:LOCI|OTEL)_.*\n)+)/.exec(compose)?.[1] ?? '';
  return new Map([...block.matchAll(/^ {4}(LOCI_\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** A value as Compose reads it where `given` are the only variables; null if it needs others. Defaults may have variables themselves. */
function expanded(value: string, given: Readonly<Record<string, string>> = {}): string | null {
  const inner = value.replace(
    /\$\{(\w+):-([^${}]*)\}/g,
    (_, name: string, otherwise: string) => given[name] ?? otherwise,
  );
  if (inner !== value) return expanded(inner, given);
  return value.includes('${') ? null : value;
}

test('the containers get every setting of the configuration', (t) => {
  const expected = Object.keys(Environment.shape).filter((name) => !FIXED_BY_THE_IMAGE.includes(name));
  t.deepEqual([...sharedEnvironment().keys()], expected, 'add to docker-compose.yml:     LOCI_X: ${LOCI_X:-}');
  for (const [name, value] of sharedEnvironment()) {
    if (!FIXED_BY_COMPOSE.includes(name)) t.regex(value, new RegExp(`^\\$\\{${name}:[-?].*\\}$`));
  }
  for (const name of FIXED_BY_THE_IMAGE) {
    if (!name.endsWith('_PORT')) t.regex(image, new RegExp(`^\\s*(ENV )?${name}=`, 'm'), name);
  }
  for (const service of ['migrate', 'api', 'worker']) {
    t.regex(compose, new RegExp(`^ {2}${service}:\\n {4}<<: \\*loci\\n`, 'm'), `${service} has the shared environment`);
  }
});

test('the containers get the variables of OpenTelemetry, which are unset by default', (t) => {
  for (const name of ['EXPORTER_OTLP_ENDPOINT', 'EXPORTER_OTLP_PROTOCOL', 'EXPORTER_OTLP_HEADERS', 'TRACES_SAMPLER']) {
    t.true(compose.includes(`\n    OTEL_${name}: \${OTEL_${name}:-}\n`), name);
  }
});

test('the image has the bundles of workflows without and with traces, because its cache cannot be written later', (t) => {
  t.true(image.includes(`await loadWorkflowBundle('/opt/loci');`));
  t.true(image.includes(`await loadWorkflowBundle('/opt/loci', tracedWorkflowModules());`));
});

test('in the image, a preset whose model is not there is an error, and never runs with the weights of another model', async (t) => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'loci-image-'));
  t.teardown(() => rm(cacheDir, { recursive: true, force: true }));
  const folder = join(cacheDir, 'models/all-MiniLM-L6-v2');
  await mkdir(join(folder, 'onnx'), { recursive: true });
  for (const name of ['config.json', 'tokenizer.json', 'onnx/model_quantized.onnx'])
    await writeFile(join(folder, name), '{}');
  const ofImage = [...image.matchAll(/^(?:ENV| {4}) ?(LOCI_\w+)=(\S+)/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace('/opt/loci', cacheDir).replace('$EMBEDDER', 'local'),
  ]);
  const configured = (preset: string) => {
    const required = {
      LOCI_DATABASE_URL: 'postgres://x',
      LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
      LOCI_API_KEY_PEPPER: 'p'.repeat(32),
    };
    const config = readConfig({ ...Object.fromEntries(ofImage), ...required, LOCI_EMBEDDER_PRESET: preset });
    return { ...config.embedder, cacheDir: config.cacheDir };
  };
  t.is(modelFolderOf(configured('')), folder);
  for (const preset of PRESET_NAMES.filter((name) => presetOf(name)?.dimensions === 384)) {
    if (preset === 'all-MiniLM-L6-v2') continue;
    await t.throwsAsync(createEmbedders(configured(preset)), {
      message: new RegExp(`models/${preset} cannot be used: the folder does not exist`),
    });
  }
});

test('the containers have the documented defaults when nothing is set', (t) => {
  const unset = [...sharedEnvironment()].map(([name, value]) => [
    name,
    FIXED_BY_COMPOSE.includes(name) ? null : expanded(value),
  ]);
  const required = {
    LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
    LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
    LOCI_API_KEY_PEPPER: 'p'.repeat(32),
  };
  const given = Object.fromEntries(unset.filter(([name, value]) => value !== null && !(String(name) in required)));
  t.deepEqual(
    readConfig({ ...given, ...required }),
    // The name of the container, under which others of the network reach /mcp.
    readConfig({ ...required, LOCI_PUBLIC_URL: 'http://127.0.0.1:8700', LOCI_MCP_HOSTS: 'api' }),
  );
});

test('the public address has the port that the containers publish', (t) => {
  const address = sharedEnvironment().get('LOCI_PUBLIC_URL') ?? '';
  t.true(compose.includes('127.0.0.1:${LOCI_PORT:-8700}:8700'));
  t.is(expanded(address, { LOCI_PORT: '9700' }), 'http://127.0.0.1:9700');
  t.is(expanded(address, { LOCI_PORT: '9700', LOCI_PUBLIC_URL: 'https://loci.example' }), 'https://loci.example');
});
