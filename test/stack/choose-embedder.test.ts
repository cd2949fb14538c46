/** The embedder of a state folder stays the same, whatever can be reached when it starts again. */
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { chooseEmbedder } from '#stack/acquire/choose-embedder.ts';
import { StackError } from '#stack/stack-error.ts';
import { EMBEDDING_MODEL } from '#stack/versions.ts';

// Neither source of the model can be reached: nothing listens at this proxy, and there is no Python on an empty PATH.
process.env['https_proxy'] = 'http://127.0.0.1:9';

const { name: MODEL } = EMBEDDING_MODEL;
const OF_THE_HUB = EMBEDDING_MODEL.hub.files.find(({ path }) => path.endsWith('.onnx'))?.sha256 ?? '';

async function writeModel(folder: string, weights: string, path = 'onnx/model_quantized.onnx'): Promise<void> {
  for (const [file, text] of Object.entries({
    'config.json': '{}',
    'tokenizer.json': '{}',
    'tokenizer_config.json': '{}',
    [path]: weights,
  })) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

async function setUp(t: ExecutionContext) {
  const root = await mkdtemp(join(tmpdir(), 'loci-embedder-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const [cacheDir, stateDir] = [join(root, 'cache'), join(root, 'state')];
  await mkdir(cacheDir);
  const choose = (environment: NodeJS.ProcessEnv = {}) =>
    chooseEmbedder({ cacheDir, stateDir, environment: { PATH: '', ...environment }, log: () => undefined });
  const record = async (): Promise<unknown> => JSON.parse(await readFile(join(stateDir, 'embedder.json'), 'utf8'));
  const write = async (weights: Record<string, string>, isLexical = false) => {
    await mkdir(stateDir, { recursive: true });
    await writeFile(join(stateDir, 'embedder.json'), JSON.stringify({ weights, is_lexical: isLexical }));
  };
  return { root, stateDir, choose, record, write, folder: join(cacheDir, 'models', MODEL) };
}

test('the first start writes down the weights of its model, and later starts refuse others of the same name', async (t) => {
  const { choose, record, folder } = await setUp(t);
  await writeModel(folder, 'of one source');
  const chosen = { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: folder };
  t.deepEqual(await choose(), chosen);
  const used = hash('sha256', 'of one source');
  t.deepEqual(await record(), { weights: { [MODEL]: used }, is_lexical: false });
  t.deepEqual(await choose(), chosen);
  await writeModel(folder, 'of another source');
  for (const environment of [{}, { LOCI_EMBEDDER: 'local' }]) {
    const error = await t.throwsAsync(choose(environment), { instanceOf: StackError });
    t.regex(
      error.message,
      new RegExp(`the model ${MODEL} with the weights ${used}.*LOCI_EMBEDDER_FOLDER.*embedder.json`, 's'),
    );
  }
  const error = await t.throwsAsync(choose({ LOCI_EMBEDDER_FOLDER: folder }), { instanceOf: StackError });
  t.true(error.message.includes(used) && error.message.includes(hash('sha256', 'of another source')));
  t.regex(error.message, /To change them on purpose, remove/);
});

test('weights that are in the cache beside others are found', async (t) => {
  const { choose, write, folder } = await setUp(t);
  const used = hash('sha256', 'of one source');
  await write({ [MODEL]: used });
  await writeModel(folder, 'of another source');
  const beside = `${folder}-${used.slice(0, 8)}`;
  await writeModel(beside, 'of one source');
  t.deepEqual(await choose(), { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: beside });
});

test('a model that was used before is obtained from its own source, or the start fails', async (t) => {
  const { choose, record, write } = await setUp(t);
  await write({ [MODEL]: OF_THE_HUB });
  const error = await t.throwsAsync(choose(), { instanceOf: StackError });
  t.regex(error.message, new RegExp(`weights ${OF_THE_HUB}.*could not be obtained: huggingface.co is not usable`, 's'));
  t.notRegex(error.message, /pip/);
  t.deepEqual(await record(), { weights: { [MODEL]: OF_THE_HUB }, is_lexical: false });
});

test('where lexical took the place of the model, it stays until a setting asks for the model', async (t) => {
  const { choose, record, folder } = await setUp(t);
  const first = await choose();
  t.is(first['LOCI_EMBEDDER'], 'lexical');
  t.regex(first['LOCI_EMBEDDER_NOTE'] ?? '', /could not be obtained: huggingface.co is not usable.*no Python with pip/);
  t.deepEqual(await record(), { weights: {}, is_lexical: true });
  await writeModel(folder, 'reachable now');
  const second = await choose();
  t.is(second['LOCI_EMBEDDER'], 'lexical');
  t.regex(second['LOCI_EMBEDDER_NOTE'] ?? '', /embedder\.json.*LOCI_EMBEDDER=local/);
  const asked = { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: folder };
  t.deepEqual(await choose({ LOCI_EMBEDDER: 'local' }), asked);
  t.deepEqual(await choose(), asked);
});

test('lexical never takes the place of a model that a setting names', async (t) => {
  const { choose } = await setUp(t);
  for (const environment of [
    { LOCI_EMBEDDER: 'local' },
    { LOCI_EMBEDDER_MODEL: MODEL },
    { LOCI_EMBEDDER_PRESET: MODEL },
  ]) {
    await t.throwsAsync(choose(environment), { message: /could not be obtained.*LOCI_EMBEDDER_FOLDER/s });
  }
  t.deepEqual(await choose({ LOCI_EMBEDDER: 'lexical' }), {});
  t.deepEqual(await choose({ LOCI_EMBEDDER: 'openai' }), {});
});

test('a folder that a setting names needs what the embedder reads, and nothing else', async (t) => {
  const { root, choose } = await setUp(t);
  const folder = join(root, 'by-hand');
  const asked = (more: NodeJS.ProcessEnv) => choose({ LOCI_EMBEDDER_FOLDER: folder, ...more });
  const chosen = { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: folder };
  await t.throwsAsync(asked({}), {
    instanceOf: StackError,
    message: /the folder does not exist.*LOCI_EMBEDDER_FOLDER/,
  });
  await writeModel(folder, 'x', 'model.onnx');
  await rm(join(folder, 'tokenizer_config.json'));
  t.deepEqual(await asked({ LOCI_EMBEDDER_PRESET: 'bge-m3' }), chosen);
  t.deepEqual(await asked({ LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_MODEL: 'my-model' }), chosen);
  t.deepEqual(await asked({ LOCI_EMBEDDER_MODEL: '', LOCI_EMBEDDER_PRESET: '' }), chosen);
  t.deepEqual(
    await choose({ LOCI_EMBEDDER_FOLDER: '', LOCI_EMBEDDER_MODEL: '' }).catch(String),
    await choose({}).catch(String),
  );
  await rm(join(folder, 'tokenizer.json'));
  await t.throwsAsync(asked({}), { instanceOf: StackError, message: /tokenizer\.json is missing/ });
});

test('a damaged record is an error, never a new choice', async (t) => {
  const { choose, stateDir } = await setUp(t);
  await mkdir(stateDir);
  await writeFile(join(stateDir, 'embedder.json'), '{"weights"');
  await t.throwsAsync(choose(), { instanceOf: StackError, message: /embedder\.json is damaged/ });
});
