import test from 'ava';
import { ExplainSearchRequest } from '#domain/records/missing-result.ts';
import type { ChunkText } from '#store/contents/chunk-hits.ts';
import { explainTerms, missingMessage } from '#operations/search/missing-message.ts';

const request = ExplainSearchRequest.parse({ query: 'otters', content_id: crypto.randomUUID(), rerank: true });
const status = { status: null, status_message: null, error_code: null };
const examined: Parameters<typeof missingMessage>[0] = {
  reason: 'found',
  chunk_id: null,
  filters: [],
  terms: [],
  keyword: null,
  vector: null,
  rank: 7,
  rerank: { rank: 2, score: 0.9 },
  score: 0.1,
  relevance: null,
  lost_to: [],
};

function chunkOf({ heading_path, ...text }: { content: string; context: string; heading_path: string[] }): ChunkText {
  const metadata = { heading_path, start: 0, end: text.content.length, page: null };
  return { id: 'a', content_id: 'b', collection_id: 'c', chunk_index: 1, ...text, metadata };
}

test('the rank of what is found is that among the results, not the one before reranking', (t) => {
  t.is(missingMessage(examined, { request, status, place: 2 }), 'It is among the results, at rank 2.');
});

test('words are looked for in the text that was indexed, not in headings that did not fit into it', (t) => {
  const row = chunkOf({ content: '| Ulva | noon |', context: '| Island | Departure |', heading_path: ['Ferries'] });
  t.deepEqual(
    explainTerms('ferry departures', row).map(({ word, found }) => [word, found]),
    [
      ['ferry', []],
      ['departures', ['Departure']],
    ],
  );
});

test('each inflection in a query is found by the words of the chunk that any of them matches', (t) => {
  const row = chunkOf({ content: 'The tests pass.', context: '', heading_path: [] });
  t.deepEqual(
    explainTerms('test tests', row).map(({ word, found }) => [word, found]),
    [
      ['test', ['tests']],
      ['tests', ['tests']],
    ],
  );
});

test('what is looked up is shown as it is spelled, with the vowel signs', (t) => {
  const row = chunkOf({ content: 'बिजली का बिल', context: '', heading_path: [] });
  const [term] = explainTerms('बिजली', row);
  t.deepEqual(term?.found, ['बिजली']);
  t.true(term?.looked_up.includes('बिजल'));
  t.false(term?.looked_up.some((form) => /[\u{20000}-\u{2a6df}]/u.test(form)));
});
