import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createLocalEmbedder } from '#providers/embedders/local.ts';
import { readModelFolder } from '#providers/embedders/model-folder.ts';
import { modelUseOf } from '#providers/embedders/model-presets.ts';
import { acquirePresetModel } from '#stack/acquire/acquire-preset-model.ts';
import { chooseEmbedder } from '#stack/acquire/choose-embedder.ts';
import { startModelHub, type HubRepositoryFile } from '#test/support/servers/models/model-hub.ts';

const WEIGHTS = randomBytes(300_000);
const SMALL = {
  'config.json': { bytes: Buffer.from('{"hidden_size": 384, "max_position_embeddings": 512}') },
  'tokenizer.json': { bytes: Buffer.from('{}') },
  'tokenizer_config.json': { bytes: Buffer.from('{"model_max_length": 512}') },
  'README.md': { bytes: Buffer.from('# A model') },
};
const FILES: Record<string, HubRepositoryFile> = {
  ...SMALL,
  'onnx/model.onnx': { bytes: randomBytes(10), isLarge: true },
  'onnx/model_quantized.onnx': { bytes: WEIGHTS, isLarge: true },
};
const WEIGHTS_PATH = 'onnx/model_quantized.onnx';

async function setUp(t: ExecutionContext, files = FILES) {
  const hub = await startModelHub('Xenova/bge-small-en-v1.5', files);
  t.teardown(() => hub.close());
  const cacheDir = await mkdtemp(join(tmpdir(), 'loci-cache-'));
  t.teardown(() => rm(cacheDir, { recursive: true, force: true }));
  const environment = { HF_ENDPOINT: hub.baseUrl };
  const context = { cacheDir, stateDir: join(cacheDir, 'state'), environment, log: () => undefined };
  const folder = join(cacheDir, 'models', 'bge-small-en-v1.5');
  return { hub, context, folder, acquire: () => acquirePresetModel('bge-small-en-v1.5', context) };
}

const rangesOf = (hub: Awaited<ReturnType<typeof startModelHub>>, path: string) =>
  hub.requests.filter((request) => request.path.endsWith(`/${path}`)).map(({ range }) => range);

test('fetches the files of a preset that are used, all of one commit, once', async (t) => {
  const { hub, context, folder, acquire } = await setUp(t);
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
  t.deepEqual((await readdir(folder)).sort(), [
    'config.json',
    'download.json',
    'onnx',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
  t.like(await readModelFolder(folder, modelUseOf({ preset: 'bge-small-en-v1.5' })), {
    pooling: 'cls',
    maxSequence: 512,
  });
  const before = hub.requests.length;
  t.deepEqual(await acquire(), { folder });
  t.is(hub.requests.length, before, 'the second time, it is in the cache');
  t.deepEqual((await readdir(context.cacheDir)).sort(), ['locks', 'models']);
});

test('a file with another checksum than the hub says is named, removed, and fetched anew by the next attempt', async (t) => {
  for (const path of [WEIGHTS_PATH, 'tokenizer.json']) {
    const { hub, folder, acquire } = await setUp(t);
    const bytes = FILES[path]?.bytes ?? Buffer.alloc(0);
    hub.faults.push({ path, sends: Buffer.alloc(bytes.length, 'x'), times: 1 });
    const refused = await acquire();
    t.regex('unavailable' in refused ? refused.unavailable : '', new RegExp(`${path} has the .* but the hub says`));
    t.false(existsSync(folder));
    t.deepEqual(await acquire(), { folder });
    t.deepEqual(await readFile(join(folder, path)), bytes);
  }
});

test('a file that is longer than the hub says is refused before it fills the disk', async (t) => {
  const { hub, folder, acquire } = await setUp(t);
  hub.faults.push({ path: WEIGHTS_PATH, sends: Buffer.alloc(50_000_000), times: 1 });
  const refused = await acquire();
  t.regex('unavailable' in refused ? refused.unavailable : '', /model_quantized\.onnx/);
  t.false(existsSync(folder));
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
});

test('a connection that is lost loses no download', async (t) => {
  const { hub, folder, acquire } = await setUp(t);
  hub.faults.push({ path: WEIGHTS_PATH, endsAfter: 100_000, isLost: true, times: 2 });
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
  t.is(rangesOf(hub, WEIGHTS_PATH).length, 3);
});

test('a download goes on where its response ended', async (t) => {
  const { hub, folder, acquire } = await setUp(t);
  hub.faults.push({ path: WEIGHTS_PATH, endsAfter: 100_000, times: 2 });
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
  t.deepEqual(rangesOf(hub, WEIGHTS_PATH), [null, 'bytes=100000-', 'bytes=200000-']);
});

test('a download that ended too often says how far it came, and the next one goes on from there', async (t) => {
  const { hub, folder, acquire } = await setUp(t);
  hub.faults.push({ path: WEIGHTS_PATH, endsAfter: 50_000, times: 3 });
  const ended = await acquire();
  t.regex('unavailable' in ended ? ended.unavailable : '', /ended after 150000 of 300000 bytes/);
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
  t.is(rangesOf(hub, WEIGHTS_PATH).at(-1), 'bytes=150000-');
  t.is(rangesOf(hub, 'config.json').length, 1, 'what is complete is not fetched again');
});

test('a server without ranges sends the file anew', async (t) => {
  const { hub, folder, acquire } = await setUp(t);
  hub.faults.push({ path: WEIGHTS_PATH, endsAfter: 100_000, times: 1 }, { path: WEIGHTS_PATH, ignoresRanges: true });
  t.deepEqual(await acquire(), { folder });
  t.deepEqual(await readFile(join(folder, WEIGHTS_PATH)), WEIGHTS);
});

test('a repository without a needed file, an unknown one and a hub that is away are named, with what to do', async (t) => {
  const { acquire } = await setUp(t, SMALL);
  const incomplete = await acquire();
  t.regex(
    'unavailable' in incomplete ? incomplete.unavailable : '',
    /Xenova\/bge-small-en-v1\.5 has no onnx\/model_quantized/,
  );
  const { hub, context } = await setUp(t);
  const unknown = await acquirePresetModel('gte-base', context);
  t.regex(
    'unavailable' in unknown ? unknown.unavailable : '',
    /gte-base could not be obtained: 127\.0\.0\.1:\d+ .*status 404/,
  );
  await hub.close();
  const asked = { ...context, environment: { ...context.environment, LOCI_EMBEDDER_PRESET: 'e5-base-v2' } };
  await t.throwsAsync(chooseEmbedder(asked), {
    message: /e5-base-v2 could not be obtained.*HF_ENDPOINT.*LOCI_EMBEDDER_FOLDER/s,
  });
});

test('a preset that the settings name is obtained at the start, and used as a preset', async (t) => {
  const { hub, context, folder } = await setUp(t);
  const asked = (environment: NodeJS.ProcessEnv) =>
    chooseEmbedder({ ...context, environment: { ...context.environment, ...environment } });
  const chosen = {
    LOCI_EMBEDDER: 'local',
    LOCI_EMBEDDER_PRESET: 'bge-small-en-v1.5',
    LOCI_EMBEDDER_FOLDER: folder,
  };
  t.deepEqual(await asked({ LOCI_EMBEDDER_PRESET: 'bge-small-en-v1.5', HF_TOKEN: 'hf_x' }), chosen);
  t.true(hub.requests.every(({ authorization }) => authorization === 'Bearer hf_x'));
  t.deepEqual(await asked({ LOCI_EMBEDDER_MODEL: 'bge-small-en-v1.5' }), chosen);
});

const realFolder = process.env['LOCI_EMBEDDER_FOLDER'] ?? '';
const withModel = existsSync(join(realFolder, 'tokenizer.json')) ? test : test.skip;

withModel('a model that was fetched embeds', async (t) => {
  const read = (path: string) => readFile(join(realFolder, path));
  const { acquire } = await setUp(t, {
    'config.json': { bytes: await read('config.json') },
    'tokenizer.json': { bytes: await read('tokenizer.json') },
    'tokenizer_config.json': { bytes: await read('tokenizer_config.json') },
    [WEIGHTS_PATH]: { bytes: await read(WEIGHTS_PATH), isLarge: true },
  });
  const acquired = await acquire();
  const folder = 'folder' in acquired ? acquired.folder : '';
  const preset = 'bge-small-en-v1.5';
  const embedder = await createLocalEmbedder({ model: preset, preset, folder, cacheDir: folder, threads: 1 });
  t.teardown(() => embedder.close());
  const [vector] = await embedder.embed(['The ferry leaves at nine.'], 'document');
  t.is(vector?.length, 384);
});
