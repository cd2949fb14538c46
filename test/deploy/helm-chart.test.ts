/** The Helm chart, rendered by Helm and checked against the schemas of Kubernetes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import anyTest from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { routes } from '#api/routes/index.ts';
import { Environment } from '#config/environment.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { readDocument } from '#test/docs/markdown.ts';
import { findHelm, runHelm } from '#test/support/runner/helm.ts';

const CHART = join(PROJECT_DIR, 'deploy/helm/loci');
const LEAST = ['--values', join(CHART, 'ci/values.yaml')];
/** The parts of Helm's interface that are optional, each of them used. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  least: [],
  's3 and autoscaling': [
    '--set=settings.LOCI_BLOB_STORE=s3,api.autoscaling.enabled=true,workerDefaults.autoscaling.enabled=true',
    '--set=secrets.migrationSecret=owner,serviceAccount.annotations.role=loci',
  ],
  'roles of workers': [
    '--set=workers.all=null,workers.reading.replicas=3,workers.rest.settings.LOCI_LOG_LEVEL=debug',
    '--set=workers.reading.nodeSelector.disk=fast,blobs.existingClaim=mine,migration.prepareTemporal=false',
  ],
  ingress: [
    '--set=ingress.enabled=true,ingress.host=loci.example.com,ingress.className=nginx,image.pullSecrets[0].name=registry',
    '--set=ingress.tls[0].hosts[0]=loci.example.com,ingress.tls[0].secretName=tls,settings.LOCI_MAX_FILE_BYTES=209715200',
    '--set=extraEnv[0].name=X,extraEnv[0].value=y,extraVolumes[0].name=ca,extraVolumes[0].secret.secretName=ca',
    '--set=extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca,podAnnotations.team=search',
  ],
};
/** Settings that the image and the chart fix: ports, and folders of the image and of the volume. */
const FIXED = ['LOCI_PORT', 'LOCI_WORKER_PORT', 'LOCI_BLOB_DIR', 'LOCI_WORK_DIR', 'LOCI_CACHE_DIR'];
/** What settings have in their names that are secrets. */
const SECRET = /_(KEY|KEYS|PEPPER|TOKEN|SECRET|DATABASE_URL|REDIS_URL|HEADERS)$/;

const test = findHelm() === null ? anyTest.skip : anyTest;

const Container = z.looseObject({
  command: z.array(z.string()),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).optional(),
  securityContext: z.looseObject({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
  }),
});
const Pod = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
    containers: z.tuple([Container]),
    volumes: z.array(z.looseObject({ name: z.string() })),
    terminationGracePeriodSeconds: z.number().optional(),
  }),
});
const Resource = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  spec: z.looseObject({ template: Pod.optional(), replicas: z.number().optional() }).optional(),
});
type Resource = z.infer<typeof Resource>;

async function render(...args: string[]): Promise<Resource[]> {
  const { code, stdout, stderr } = await runHelm(['template', 'loci', CHART, ...LEAST, ...args]);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [Resource.parse(value)];
  });
}

function podOf(resources: readonly Resource[], name: string) {
  const pod = resources.find((one) => one.metadata.name === name && one.spec?.template)?.spec?.template;
  if (pod === undefined) throw new Error(`there is no pod of ${name}`);
  const [container] = pod.spec.containers;
  return { ...pod, container, env: new Map(container.env.map(({ name: variable, value }) => [variable, value])) };
}

test('the chart passes the linter, and what it renders is valid for Kubernetes', async (t) => {
  const linted = await runHelm(['lint', '--strict', CHART, ...LEAST]);
  t.is(linted.code, 0, linted.stdout + linted.stderr);
  const schemas = z
    .object({ kinds: z.record(z.string(), z.string()), $defs: z.record(z.string(), z.looseObject({})) })
    .parse(JSON.parse(readDocument('test/support/fixtures/kubernetes-schemas.json')));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'kubernetes', $defs: schemas.$defs });
  const seen = new Set<string>();
  for (const [variant, args] of Object.entries(VARIANTS)) {
    for (const resource of await render(...args)) {
      const kind = `${resource.kind} ${resource.apiVersion}`;
      seen.add(kind);
      const valid = ajv.validate({ $ref: `kubernetes#/$defs/${schemas.kinds[kind]}` }, resource);
      t.true(valid, `${variant}: ${kind} ${resource.metadata.name}: ${ajv.errorsText()}`);
    }
  }
  t.deepEqual([...seen].toSorted(), Object.keys(schemas.kinds).toSorted());
  t.false(ajv.validate({ $ref: `kubernetes#/$defs/${schemas.kinds['Service v1']}` }, { kind: 'Service', sepc: {} }));
});

test('API, workers and the migration start what the image has, with probes that exist', async (t) => {
  const resources = await render();
  const api = podOf(resources, 'loci-api');
  const worker = podOf(resources, 'loci-worker-all');
  const migration = podOf(resources, 'loci-migration');
  const started = [api, worker, migration].flatMap(
    ({ container }) => container.command.join(' ').match(/\S+\.ts/g) ?? [],
  );
  t.deepEqual(started, ['api/main.ts', 'workers/main.ts', 'migrations/run.ts', 'stack/prepare-temporal.ts']);
  for (const path of started) t.true(existsSync(join(PROJECT_DIR, path)), path);
  const { LOCI_PORT, LOCI_WORKER_PORT } = Environment.partial().parse({ LOCI_BLOB_DIR: '/x' });
  const paths = Object.values(routes).map(({ path }) => path);
  for (const [{ container }, port] of [
    [api, LOCI_PORT],
    [worker, LOCI_WORKER_PORT],
  ] as const) {
    t.like(container, {
      ports: [{ name: 'http', containerPort: port }],
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
      livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
    });
  }
  for (const path of ['/readyz', '/livez', '/metrics']) t.true(paths.includes(path), path);
  t.true((api.spec.terminationGracePeriodSeconds ?? 0) >= 5 + 10);
  const job = resources.find(({ kind }) => kind === 'Job');
  t.is(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
});

test('the Service of workers that embed for the API has them while Temporal, which their /readyz asks about, is away', async (t) => {
  const resources = await render('--set=workers.embedding.service.enabled=true');
  t.true(resources.some(({ kind, metadata }) => kind === 'Service' && metadata.name === 'loci-worker-embedding'));
  const probeOf = (name: string) => podOf(resources, name).container['readinessProbe'];
  t.like(probeOf('loci-worker-embedding'), { httpGet: { path: '/livez' } });
  t.like(probeOf('loci-worker-all'), { httpGet: { path: '/readyz' } });
  t.like(probeOf('loci-api'), { httpGet: { path: '/readyz' } });
});

test('only the migration gets the owner of the tables, and no secret is in what is rendered', async (t) => {
  const resources = await render(...(VARIANTS['s3 and autoscaling'] ?? []));
  const secretsOf = (name: string) => podOf(resources, name).container.envFrom.map(({ secretRef }) => secretRef.name);
  t.deepEqual(secretsOf('loci-api'), ['loci']);
  t.deepEqual(secretsOf('loci-worker-all'), ['loci']);
  t.deepEqual(secretsOf('loci-migration'), ['loci', 'owner']);
  t.false(resources.some(({ kind }) => kind === 'Secret' || kind === 'ConfigMap'));
  const refused = await runHelm(['template', CHART, ...LEAST, '--set=settings.LOCI_ADMIN_TOKEN=x']);
  t.regex(refused.stderr, /LOCI_ADMIN_TOKEN is a secret: put it into the Secret that secrets\.existingSecret names/);
  for (const [left, message] of [
    ['image.repository', /Set image\.repository to the image/],
    ['secrets.existingSecret', /Set secrets\.existingSecret to the name of a Secret with LOCI_DATABASE_URL/],
  ] as const) {
    t.regex((await runHelm(['template', CHART, ...LEAST, `--set=${left}=`])).stderr, message);
  }
});

test('with S3, pods share no volume; replicas are left to the autoscaler; roles have their own settings', async (t) => {
  const scaled = await render(...(VARIANTS['s3 and autoscaling'] ?? []));
  t.false(scaled.some(({ kind }) => kind === 'PersistentVolumeClaim'));
  t.true(podOf(scaled, 'loci-api').spec.volumes.every((volume) => 'emptyDir' in volume));
  t.is(scaled.find(({ kind }) => kind === 'Deployment')?.spec?.replicas, undefined);
  const roles = await render(...(VARIANTS['roles of workers'] ?? []));
  t.deepEqual(
    roles.filter(({ kind }) => kind === 'Deployment').map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
    [
      ['loci-api', 2],
      ['loci-worker-reading', 3],
      ['loci-worker-rest', 1],
    ],
  );
  t.is(podOf(roles, 'loci-worker-rest').env.get('LOCI_LOG_LEVEL'), 'debug');
  t.is(podOf(roles, 'loci-worker-reading').env.get('LOCI_LOG_LEVEL'), undefined);
  t.is(podOf(await render(...(VARIANTS['ingress'] ?? [])), 'loci-api').env.get('LOCI_MAX_FILE_BYTES'), '209715200');
});

test('a role without values of its own is there, and without any role nothing is installed', async (t) => {
  const roles = await render('--set-json=workers={"all":null,"plain":{}}');
  t.deepEqual(
    roles.filter(({ kind }) => kind === 'Deployment').map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
    [
      ['loci-api', 2],
      ['loci-worker-plain', 1],
    ],
  );
  const none = await runHelm(['template', CHART, ...LEAST, '--set=workers.all=null']);
  t.regex(none.stderr, /workers has no role: without workers, uploads are accepted and never processed/);
});

test('a setting may be a list, which is joined by commas; a map is refused', async (t) => {
  const list = '--set-json=settings.LOCI_CORS_ORIGINS=["https://a.example","https://b.example"]';
  const api = podOf(await render(list), 'loci-api');
  t.is(api.env.get('LOCI_CORS_ORIGINS'), 'https://a.example,https://b.example');
  const refused = await runHelm(['template', CHART, ...LEAST, '--set=settings.LOCI_CORS_ORIGINS.a=b']);
  t.regex(refused.stderr, /LOCI_CORS_ORIGINS must be a text, a number, true, false or a list/);
});

test('all pods listen at the address of the setting, for clusters whose pods have IPv6 addresses', async (t) => {
  const resources = await render('--set=settings.LOCI_HOST=::');
  for (const name of ['loci-api', 'loci-worker-all']) t.is(podOf(resources, name).env.get('LOCI_HOST'), '::', name);
  t.is(podOf(await render(), 'loci-api').env.get('LOCI_HOST'), undefined, 'as the image says');
});

test('/mcp is reached under the names of the Service, the host of the Ingress, and those of the setting', async (t) => {
  const hosts = async (...args: string[]) => podOf(await render(...args), 'loci-api').env.get('LOCI_MCP_HOSTS');
  const own = 'loci-api,loci-api.rag,loci-api.rag.svc,loci-api.rag.svc.cluster.local';
  t.is(await hosts('--namespace=rag'), own);
  const ingress = '--set=ingress.enabled=true,ingress.host=loci.example.com';
  const list = '--set-json=settings.LOCI_MCP_HOSTS=["one.example","two.example"]';
  t.is(await hosts('--namespace=rag', ingress, list), `${own},loci.example.com,one.example,two.example`);
  t.is(await hosts('--namespace=rag', '--set=api.settings.LOCI_MCP_HOSTS=own.example', list), `${own},own.example`);
  t.is(podOf(await render(), 'loci-worker-all').env.get('LOCI_MCP_HOSTS'), undefined);
});

test('files on their way are on the node of the pod, never on the volume that all share', async (t) => {
  const { env, spec, container } = podOf(await render(), 'loci-worker-all');
  t.is(env.get('LOCI_WORK_DIR'), '/work/loci');
  t.deepEqual(
    container.volumeMounts?.find(({ mountPath }) => mountPath === '/work'),
    { name: 'work', mountPath: '/work' },
  );
  t.like(
    spec.volumes.find(({ name }) => name === 'work'),
    { emptyDir: { sizeLimit: '20Gi' } },
  );
});

anyTest('the values of the chart have every setting, secrets apart', (t) => {
  const values = z
    .looseObject({ settings: z.record(z.string(), z.literal('')), secretSettings: z.array(z.string()) })
    .parse(parse(readDocument('deploy/helm/loci/values.yaml')));
  const own = (names: readonly string[]) =>
    names.filter((name) => name.startsWith('LOCI_') && name !== 'LOCI_MIGRATION_DATABASE_URL');
  const known = Object.keys(Environment.shape).filter((name) => !FIXED.includes(name));
  const missing = 'add to deploy/helm/loci/values.yaml, under settings or secretSettings';
  t.deepEqual(own([...Object.keys(values.settings), ...values.secretSettings]).toSorted(), known.toSorted(), missing);
  t.deepEqual(
    Object.keys(values.settings).filter((name) => SECRET.test(name)),
    [],
    'these are secrets',
  );
});
