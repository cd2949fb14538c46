import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { ApiClient, Sent } from '#test/support/harness/api-client.ts';
import type { World } from './world.ts';

/** A client of the running service with every permission in a new workspace. */
export type Service = ApiClient;
export type ModelCommand = fc.AsyncCommand<World, Service>;
export type Step = { world: World; api: Service };

/** A random number from which `pick` selects an item. */
export const anyIndex = fc.nat({ max: 10_000 });

/** A command of a sequence. Its input is generated beforehand; `run` compares each response with the model. */
export function modelCommand<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  run: (step: Step, input: Input) => Promise<void>,
): fc.Arbitrary<ModelCommand> {
  return input.map((value) => ({
    check: () => true,
    run: (world: World, api: Service) => run({ world, api }, value),
    toString: () => `${name}(${fc.stringify(value)})`,
  }));
}

const Refusal = z.object({ code: z.string() });

/** Sends a request and asserts that it fails with this status and code. */
export async function assertRefused(
  api: Service,
  path: string,
  sent: Sent & { as: readonly [number, string] },
): Promise<void> {
  const { as, ...request } = sent;
  const response = await api.send(path, request);
  const answer = await response.text();
  const shown = [response.status, Refusal.safeParse(JSON.parse(answer || 'null')).data?.code];
  assert.deepEqual(shown, as, `${request.method ?? 'GET'} ${path} answered ${answer}`);
}

export const ABSENT = [404, 'not_found'] as const;
export const CONFLICT = [409, 'conflict'] as const;
export const FORBIDDEN = [403, 'forbidden'] as const;

/** Sends a POST; `isTwice` repeats it with the same `Idempotency-Key`, which must return the same response. */
export async function postOnce<S extends z.ZodType>(
  { api, world }: Step,
  path: string,
  request: { schema: S; json?: unknown; status?: number; isTwice: boolean },
): Promise<z.output<S>> {
  const { schema, isTwice, ...sent } = request;
  const headers: Record<string, string> = isTwice ? { 'Idempotency-Key': `once-${(world.serial += 1)}` } : {};
  const first = await api.post(path, schema, { ...sent, headers });
  if (isTwice) assert.deepEqual(await api.post(path, schema, { ...sent, headers }), first, `POST ${path} again`);
  return first;
}

/** Reads all pages of a list, and checks `has_more` and `total_count`. */
export async function walk<One>(
  first: string,
  read: (path: string) => Promise<{ items: One[]; total_count: number; next_cursor: string | null; has_more: boolean }>,
): Promise<One[]> {
  const all: One[] = [];
  for (let path = first; ;) {
    const { items, total_count, next_cursor, has_more } = await read(path);
    all.push(...items);
    assert.equal(has_more, next_cursor !== null, path);
    if (next_cursor === null) {
      assert.equal(total_count, all.length, `total_count of ${first}`);
      return all;
    }
    path = `${first}&cursor=${encodeURIComponent(next_cursor)}`;
  }
}

/** The record without the fields that the service changes in the background. */
export function withoutVolatileFields(record: object): object {
  const volatile = ['updated_at', 'access_count', 'sync_status', 'summary', 'last_used_at'];
  return Object.fromEntries(Object.entries(record).filter(([name]) => !volatile.includes(name)));
}

/** Asserts that the records are equal and in the same order, ignoring fields that the service changes in the background. */
export function assertSameRecords(shown: readonly object[], expected: readonly object[], what: string): void {
  assert.deepEqual(shown.map(withoutVolatileFields), expected.map(withoutVolatileFields), what);
}
