import { Tokenizer } from '@huggingface/tokenizers';
import test from 'ava';
import { createPairEncoder } from '#providers/rerankers/pair-encoder.ts';

const WORDS = ['<s>', '<pad>', '</s>', '<unk>', 'a', 'otter', 'sleeps', 'eats'];

/** A tokenizer of whole words, with the special tokens of a kind of model. */
function tokenizerWith(post_processor: object): Tokenizer {
  const vocab = Object.fromEntries(WORDS.map((word, id) => [word, id]));
  return new Tokenizer(
    {
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'WhitespaceSplit' },
      post_processor,
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '<unk>',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 99,
        vocab,
      },
    },
    {},
  );
}

test('a pair has the special tokens of RoBERTa: two separators, and one type', (t) => {
  const roberta = {
    type: 'RobertaProcessing',
    cls: ['<s>', 0],
    sep: ['</s>', 2],
    trim_offsets: true,
    add_prefix_space: true,
  };
  const encoder = createPairEncoder(tokenizerWith(roberta), { maxSequence: 32, typeCount: 1 });
  const { ids, types } = encoder.encode(encoder.encodeQuery('otter sleeps'), 'a otter eats');
  t.deepEqual(
    ids.map((id) => WORDS[id]),
    ['<s>', 'otter', 'sleeps', '</s>', '</s>', 'a', 'otter', 'eats', '</s>'],
  );
  t.deepEqual(
    types,
    ids.map(() => 0),
  );
});

test('a pair has the special tokens of BERT: one separator, and two types', (t) => {
  const bert = { type: 'BertProcessing', cls: ['<s>', 0], sep: ['</s>', 2] };
  const encoder = createPairEncoder(tokenizerWith(bert), { maxSequence: 32, typeCount: 2 });
  const { ids, types } = encoder.encode(encoder.encodeQuery('otter'), 'otter eats');
  t.deepEqual(
    ids.map((id) => WORDS[id]),
    ['<s>', 'otter', '</s>', 'otter', 'eats', '</s>'],
  );
  t.deepEqual(types, [0, 0, 0, 1, 1, 1]);
});

test('a pair is at most as long as a sequence, and a long query leaves half of it', (t) => {
  const roberta = {
    type: 'RobertaProcessing',
    cls: ['<s>', 0],
    sep: ['</s>', 2],
    trim_offsets: true,
    add_prefix_space: true,
  };
  const encoder = createPairEncoder(tokenizerWith(roberta), { maxSequence: 14, typeCount: 1 });
  const query = encoder.encodeQuery('otter '.repeat(50));
  t.is(query.length, 5);
  t.is(encoder.encode(query, 'eats '.repeat(50)).ids.length, 14);
  t.is(encoder.encode(encoder.encodeQuery('otter'), 'eats '.repeat(50)).ids.length, 14);
});
