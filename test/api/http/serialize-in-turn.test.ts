import test from 'ava';
import { serializeInTurn } from '#api/http/response/serialize-in-turn.ts';

/** Keeps the event loop busy. */
function busyFor(durationMs: number): void {
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt);
}

test.serial('between large responses that are ready together, the event loop turns', async (t) => {
  const events: string[] = [];
  const timer = setInterval(() => events.push('turn'), 1);
  t.teardown(() => clearInterval(timer));
  const large = Array.from({ length: 4 }, (_, index) =>
    serializeInTurn('a', () => {
      busyFor(15);
      events.push(`large ${index}`);
    }),
  );
  await Promise.all(large);
  const places = large.map((_, index) => events.indexOf(`large ${index}`));
  t.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
    'in order of arrival',
  );
  for (const [index, place] of places.slice(1).entries()) t.true(place > (places[index] ?? 0) + 1, events.join());
});

test.serial('small responses do not wait for one another, and an error reaches its caller', async (t) => {
  let done = 0;
  await Promise.all(Array.from({ length: 1_000 }, () => serializeInTurn('b', () => (done += 1))));
  t.is(done, 1_000);
  const failing = () => {
    throw new Error('does not fit');
  };
  await t.throwsAsync(serializeInTurn('b', failing), { message: 'does not fit' });
  t.is(await serializeInTurn('b', () => 'next'), 'next');
});

test.serial('a workspace does not wait for the large responses of another', async (t) => {
  const order: string[] = [];
  const large = Array.from({ length: 3 }, () =>
    serializeInTurn('busy', () => {
      busyFor(15);
      order.push('large');
    }),
  );
  const other = serializeInTurn('other', () => order.push('other'));
  await Promise.all([...large, other]);
  t.deepEqual(order, ['large', 'other', 'large', 'large']);
});
