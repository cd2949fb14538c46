import { readFileSync } from 'node:fs';
import test from 'ava';
import { Environment } from '#config/environment.ts';
import { readConfig } from '#config/index.ts';

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
  'LOCI_EMBEDDER_FOLDER',
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

test('the containers have the documented defaults when nothing is set', (t) => {
  const unset = [...sharedEnvironment()].map(([name, value]) => [name, /^\$\{\w+:-(.*)\}$/.exec(value)?.[1] ?? null]);
  const required = {
    LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
    LOCI_SECRET_KEYS: '1:x',
    LOCI_API_KEY_PEPPER: 'p'.repeat(32),
  };
  const given = Object.fromEntries(unset.filter(([name, value]) => value !== null && !(String(name) in required)));
  t.deepEqual(
    readConfig({ ...given, ...required }),
    // The name of the container, under which others of the network reach /mcp.
    readConfig({ ...required, LOCI_PUBLIC_URL: 'http://127.0.0.1:8700', LOCI_MCP_HOSTS: 'api' }),
  );
});
