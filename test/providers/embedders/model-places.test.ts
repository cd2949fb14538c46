import test from 'ava';
import { ModelPlaces, type PlacedModel } from '#providers/local-models/model-places.ts';

/** A model that leaves as soon as no call uses it. */
class Model implements PlacedModel {
  isUsed = false;
  wasAsked = false;
  readonly #places: ModelPlaces;

  constructor(places: ModelPlaces) {
    this.#places = places;
  }

  leave(): void {
    this.wasAsked = true;
    if (!this.isUsed) this.#places.release(this);
  }

  end(): void {
    this.isUsed = false;
    if (this.wasAsked) this.#places.release(this);
  }
}

function setUp(limit: number) {
  const counts: number[] = [];
  const places = new ModelPlaces(limit, (count) => counts.push(count));
  return { places, counts, models: Array.from({ length: 4 }, () => new Model(places)) as [Model, Model, Model, Model] };
}

test('the model that was used longest ago gives way to another one, never more models than places', async (t) => {
  const { places, counts, models } = setUp(2);
  const [a, b, c] = models;
  t.true(await places.take(a));
  t.true(await places.take(b));
  places.touch(a);
  t.true(await places.take(c));
  t.deepEqual([a.wasAsked, b.wasAsked], [false, true]);
  t.true(Math.max(...counts) <= 2);
});

test('a model in use keeps its place until its calls end, and who waited longest gets it', async (t) => {
  const { places, models } = setUp(1);
  const [a, b, c] = models;
  t.true(await places.take(a));
  a.isUsed = b.isUsed = true;
  const order: string[] = [];
  const waiting = [places.take(b).then(() => order.push('b')), places.take(c).then(() => order.push('c'))];
  t.true(a.wasAsked);
  await Promise.resolve();
  t.deepEqual(order, []);
  a.end();
  await waiting[0];
  t.deepEqual(order, ['b']);
  t.true(b.wasAsked, 'somebody else still waits');
  b.end();
  await waiting[1];
  t.deepEqual(order, ['b', 'c']);
});

test('a model that gives up waiting is told so, and its turn goes to the next', async (t) => {
  const { places, models } = setUp(1);
  const [a, b, c] = models;
  t.true(await places.take(a));
  a.isUsed = true;
  const [second, third] = [places.take(b), places.take(c)];
  places.giveUp(b);
  t.false(await second);
  a.end();
  t.true(await third);
});
