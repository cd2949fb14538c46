import test from 'ava';
import { boostedScore, recencyFactor } from '#domain/search/recency.ts';
import { calibrate, relevanceOf } from '#domain/search/relevance.ts';

const vector = (...values: number[]) => Float32Array.from(values);
const turned = (degrees: number) => vector(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

test('the same relation of texts has the same relevance in a model of narrow similarities and in one of wide ones', (t) => {
  const wide = calibrate('openai', { questions: [turned(0), turned(90)], passages: [turned(30), turned(60)] });
  // All vectors of the narrow one are within 20 degrees.
  const narrow = calibrate('openai', { questions: [turned(0), turned(20)], passages: [turned(5), turned(15)] });
  const of = (calibration: typeof wide, part: number) => {
    const { unrelated = 0, related = 0 } = calibration ?? {};
    return relevanceOf({ similarity: unrelated + part * (related - unrelated), coverage: 0.2 }, calibration);
  };
  t.truthy(wide);
  t.truthy(narrow);
  for (const part of [0, 0.3, 0.7, 1]) t.true(Math.abs(of(wide, part) - of(narrow, part)) < 1e-9);
  t.true(of(wide, 0) < 0.05 && of(wide, 1) > 0.9);
});

test('a model that cannot tell related texts from unrelated ones is not calibrated, and words alone decide', (t) => {
  const same = [turned(0), turned(0)];
  t.is(calibrate('openai', { questions: same, passages: same }), null);
  t.true(relevanceOf({ similarity: 1, coverage: 0 }, null) < 0.05);
  t.true(relevanceOf({ similarity: null, coverage: 1 }, null) > 0.95);
});

test('half of the boost is left after a half life, and none without a date', (t) => {
  const now = Date.parse('2026-12-02T00:00:00Z');
  const factorOf = (metadata: Record<string, unknown>) => {
    const content = { content_id: 'c', name: null, type: null, external_id: null, source: null, content_hash: null };
    const record = { content: { ...content, size: null, created_at: '2026-11-02T00:00:00Z' }, metadata, chunk: {} };
    return recencyFactor(record, { half_life_days: 30, weight: 0.4, field: 'published' }, now);
  };
  t.is(factorOf({ published: '2026-12-02' }), 1);
  t.is(factorOf({ published: '2027-01-01' }), 1);
  t.is(factorOf({ published: '2026-11-02' }), 0.8);
  t.is(factorOf({ published: 'last year' }), 0.6);
  t.is(factorOf({}), 0.6);
});

test('of two equal scores that of the newer content stays higher, also below 0', (t) => {
  for (const score of [0.8, 0.01, -0.01, -0.8]) t.true(boostedScore(score, 0.9) > boostedScore(score, 0.6), `${score}`);
  t.is(boostedScore(0.5, 0.5), 0.25);
  t.is(boostedScore(0.5, 0), 0);
  for (const score of [0.5, 0, -0.5]) t.is(boostedScore(score, 1), score);
});
