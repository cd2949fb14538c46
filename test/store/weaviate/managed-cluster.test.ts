import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { makeCertificates } from '#test/support/fixtures/certificates.ts';
import { startTlsProxy } from '#test/support/servers/tls-proxy.ts';
import { freshTenant, indexObject, SPACE, weaviateOptions } from './index-under-test.ts';

/** The running Weaviate as a managed cluster shows itself: TLS for REST and gRPC on addresses of their own, and a key. */
async function openManaged(t: ExecutionContext) {
  const { authority, server } = await makeCertificates();
  const options = weaviateOptions();
  const rest = await startTlsProxy(new URL(options.url).host, { server, protocol: 'http/1.1' });
  const grpc = await startTlsProxy(options.grpc, { server, protocol: 'h2' });
  const folder = await mkdtemp(join(tmpdir(), 'loci-authority-'));
  await writeFile(join(folder, 'authority.pem'), authority);
  t.teardown(() => Promise.all([rest.close(), grpc.close(), rm(folder, { recursive: true })]));
  return {
    authorityFile: join(folder, 'authority.pem'),
    options: { ...options, url: `https://${rest.address}`, grpc: grpc.address },
  };
}

/** Runs in a process of its own, because Node reads the authorities that it trusts when it starts. */
const VISIT = `
  const { createVectorIndex } = await import('#store/weaviate/vector-index.ts');
  const { options, space, tenant, object } = JSON.parse(process.argv[1]);
  object.vector = Float32Array.of(1, 0, 0);
  const index = createVectorIndex(options);
  await index.ready();
  await index.ensureTenant(space, tenant);
  await index.writeObjects(space, tenant, [object]);
  const missing = await index.updateFacets(space, tenant, [{ id: object.id, facets: ['m.lang=s:de'] }]);
  const filter = { kind: 'contains_any', terms: ['m.lang=s:de'] };
  const ask = { type: 'hybrid', queryText: object.text, queryVector: object.vector, filter, limit: 10 };
  const hits = await index.search(space, tenant, ask);
  const deleted = await index.deleteContent(space, tenant, { contentId: object.content_id });
  const left = await index.countObjects(space, tenant, {});
  await index.close();
  const refused = createVectorIndex({ ...options, apiKey: 'wrong' });
  const messageOf = (call) => call.then(() => 'no error', (error) => error.message);
  const refusals = [
    await messageOf(refused.search(space, tenant, ask)),
    await messageOf(refused.writeObjects(space, tenant, [object])),
  ];
  await refused.close();
  console.log(JSON.stringify({ missing, hits: hits.map(({ id }) => id), deleted, left, refusals }));`;

test('reads, writes, deletes and searches over TLS with a key, and says that a key is wrong', async (t) => {
  const { authorityFile, options } = await openManaged(t);
  const { index, tenant } = await freshTenant();
  await index.close();
  const object = indexObject({ text: 'walrus' });
  const given = JSON.stringify({ options, space: SPACE, tenant, object });
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', VISIT, given], {
    // If set, the latter replaces what Node trusts, for gRPC only.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: undefined },
  });
  const wrongKey = 'The search index rejects the configured API key: check LOCI_WEAVIATE_API_KEY.';
  t.deepEqual(JSON.parse(stdout), {
    missing: [],
    hits: [object.id],
    deleted: 1,
    left: 0,
    refusals: [wrongKey, wrongKey],
  });
});

test('a certificate of an unknown authority is the reason that is given', async (t) => {
  const { options } = await openManaged(t);
  const index = createVectorIndex(options);
  for (const call of [() => index.ready(), () => index.writeObjects(SPACE, 'a', [indexObject()])]) {
    const error = await t.throwsAsync(call, { instanceOf: AppError });
    t.is(error.code, 'dependency_unavailable');
    t.regex(error.message, /NODE_EXTRA_CA_CERTS/);
  }
  await index.close();
});
