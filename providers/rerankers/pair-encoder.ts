import type { Tokenizer } from '@huggingface/tokenizers';

/** Tokens of a query and a passage that a model reads together, and which belongs to which. */
export type EncodedPair = { ids: number[]; types: number[] };
export type PairEncoder = {
  encode(query: number[], passage: string): EncodedPair;
  encodeQuery(query: string): number[];
};

/** Part of a sequence that a query may have; the passage gets the rest. */
const QUERY_PART = 0.5;

/**
 * Encodes pairs with the special tokens of the model. What does not fit is cut: from the end of a query that is longer than half of a
 * sequence, and from the end of the passage.
 */
export function createPairEncoder(
  tokenizer: Tokenizer,
  { maxSequence, typeCount }: { maxSequence: number; typeCount: number },
): PairEncoder {
  const plainIds = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const frame = readFrame(tokenizer, Math.max(0, typeCount - 1));
  const room = Math.max(2, maxSequence - frame.before.ids.length - frame.between.ids.length - frame.after.ids.length);
  return {
    encodeQuery: (query) => plainIds(query).slice(0, Math.floor(room * QUERY_PART)),
    encode(query, passage) {
      const ids = plainIds(passage).slice(0, room - query.length);
      const { before, between, after } = frame;
      return {
        ids: [...before.ids, ...query, ...between.ids, ...ids, ...after.ids],
        types: [
          ...before.types,
          ...query.map(() => frame.queryType),
          ...between.types,
          ...ids.map(() => frame.passageType),
          ...after.types,
        ],
      };
    },
  };
}

/** Finds the special tokens around a pair, by encoding a short one. */
function readFrame(tokenizer: Tokenizer, maxType: number) {
  const word = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const { ids, token_type_ids } = tokenizer.encode('a', { text_pair: 'a', return_token_type_ids: true });
  // The library marks the second text also for models that know one kind of tokens only.
  const types = token_type_ids.map((type: number) => Math.min(type, maxType));
  const length = Math.max(1, word.length);
  const queryAt = ids.indexOf(word[0] ?? -1);
  const passageAt = ids.indexOf(word[0] ?? -1, queryAt + length);
  if (queryAt < 0 || passageAt < 0) throw new RangeError('the tokenizer encodes no pairs of texts');
  const part = (start: number, end?: number) => ({ ids: ids.slice(start, end), types: types.slice(start, end) });
  return {
    before: part(0, queryAt),
    between: part(queryAt + length, passageAt),
    after: part(passageAt + length),
    queryType: types[queryAt] ?? 0,
    passageType: types[passageAt] ?? 0,
  };
}
