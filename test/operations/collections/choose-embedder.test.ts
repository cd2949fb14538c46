import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { missingEmbedder, type Embedder, type EmbedderProvider } from '#domain/embedder.ts';
import { chooseEmbedder } from '#operations/collections/choose-embedder.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';

const lexical = createLexicalEmbedder();
const embedderOf = (provider: EmbedderProvider, model: string, dimensions = 4): Embedder => {
  return { ...lexical, space: { provider, model, model_hash: 'h', dimensions } };
};
const mini = embedderOf('local', 'mini');
const bge = embedderOf('local', 'bge');
const tei = embedderOf('openai', 'bge');
const other = embedderOf('openai', 'other');
const embedders = createEmbedderSet(mini, [
  { name: 'b', embedder: bge },
  { name: 't', embedder: tei },
  { name: 'o', embedder: other },
]);

test('an embedder is chosen by name, or by provider and model', (t) => {
  t.is(chooseEmbedder({ embedders }), mini);
  t.is(chooseEmbedder({ embedders }, { name: 'default' }), mini);
  t.is(chooseEmbedder({ embedders }, { name: 'b' }), bge);
  t.is(chooseEmbedder({ embedders }, { provider: 'local' }), mini, 'the default one of several');
  t.is(chooseEmbedder({ embedders }, { provider: 'openai', model: 'bge' }), tei);
  t.is(chooseEmbedder({ embedders }, { name: 'lexical' }).space.provider, 'lexical');
  t.is(chooseEmbedder({ embedders: createEmbedderSet(lexical) }, { name: 'lexical' }), lexical);
});

test('a choice that means none or several is refused with the names that there are', (t) => {
  const refused = (choice: Parameters<typeof chooseEmbedder>[1]) =>
    t.throws(() => chooseEmbedder({ embedders }, choice), { instanceOf: AppError, code: 'validation_failed' }).message;
  t.regex(refused({ provider: 'openai' }), /several embedders.*t \(openai\/bge\), o \(openai\/other\)$/);
  t.regex(refused({ name: 'x' }), /not configured.*default \(local\/mini\), b \(local\/bge\).*lexical/);
  t.regex(refused({ name: 'b', provider: 'openai' }), /not configured/);
});

test('a missing embedder is named with what is different about one that is there', (t) => {
  const says = (space: Partial<Embedder['space']>) =>
    missingEmbedder({ ...tei.space, ...space }, { all: embedders.all, instead: 'or wait' });
  t.is(
    says({ model: 'gone' }),
    'The collection is embedded with openai/gone (4 dimensions), which is not configured on this server. ' +
      'Configure it (LOCI_EMBEDDER, LOCI_EMBEDDERS), or wait.',
  );
  t.regex(says({ dimensions: 8 }), /8 dimensions.*"t" is this model with 4 dimensions/);
  t.regex(says({ model_hash: 'z' }), /"t" is this model with other weights, or with another preset or other prefixes/);
});
