import test from 'ava';
import { packBatches, planOf } from '#activities/uploads/plan-batches.ts';

const KIB = 1024;

function contents(count: number, size: number, type: string) {
  return Array.from({ length: count }, (_, number) => ({
    content_id: `${type} ${number}`,
    size,
    type,
    downloads: false,
  }));
}

function sizesOf(batches: ReturnType<typeof packBatches>): number[] {
  return [...new Set(batches.map((batch) => batch.content_ids.length))];
}

test('texts of one upload are planned in batches that several workers share', (t) => {
  const batches = packBatches(contents(400, 16 * KIB, 'text/plain'));
  t.is(batches.length, 25);
  t.deepEqual(sizesOf(batches), [16], '256 KiB of text each');
});

test('small texts are 200 in a batch, and a long text is a batch of its own', (t) => {
  t.deepEqual(sizesOf(packBatches(contents(1_000, 200, 'text/plain'))), [200]);
  t.deepEqual(sizesOf(packBatches(contents(3, 300 * KIB, 'text/markdown'))), [1]);
});

test('files that hold less text than bytes, or an unknown amount, are 8 MiB in a batch', (t) => {
  for (const type of ['application/pdf', 'text/html'])
    t.deepEqual(sizesOf(packBatches(contents(32, KIB * KIB, type))), [8]);
  const pages = Array.from({ length: 16 }, (_, number) => ({
    content_id: `${number}`,
    size: KIB * KIB,
    downloads: false,
  }));
  t.deepEqual(sizesOf(packBatches(pages)), [8]);
});

test('a plan has at most 100 batches, and the next one begins where it ends', (t) => {
  const page = contents(800, 200 * KIB, 'text/plain');
  const plan = planOf(page, { isLastPage: true });
  t.is(plan.batches.length, 100);
  const planned = plan.batches.flatMap((batch) => batch.content_ids);
  t.deepEqual(
    planned,
    page.slice(0, planned.length).map(({ content_id: id }) => id),
  );
  t.is(plan.next, planned.at(-1) ?? null);
  const mixed = page.map((one, number) => ({ ...one, downloads: number % 2 === 0 }));
  const { batches, next } = planOf(mixed, { isLastPage: true });
  t.true(batches.length <= 100);
  const ids = new Set(batches.flatMap((batch) => batch.content_ids));
  t.deepEqual(
    [...ids].toSorted(),
    mixed
      .slice(0, ids.size)
      .map(({ content_id: id }) => id)
      .toSorted(),
  );
  t.is(next, mixed[ids.size - 1]?.content_id ?? null);
  t.is(planOf(page.slice(0, 50), { isLastPage: true }).next, null);
  t.is(planOf(page.slice(0, 50), { isLastPage: false }).next, 'text/plain 49');
});

test('only a workflow that heeds how many batches may be at work is told so', (t) => {
  const page = contents(8, KIB, 'text/plain');
  t.is(planOf(page, { isLastPage: true, heeds_at_once: true }).at_once, 16);
  const urls = page.map((one) => ({ ...one, downloads: true }));
  t.is(planOf(urls, { isLastPage: true, heeds_at_once: true }).at_once, 4);
  t.false('at_once' in planOf(page, { isLastPage: true }), 'a history of an older worker goes on with four');
});
