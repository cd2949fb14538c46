import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { ApiClient, Sent } from '#test/support/harness/api-client.ts';
import type { World } from './world.ts';

/** The running service, seen by a client with every permission in a workspace of its own. */
export type Service = ApiClient;
export type ModelCommand = fc.AsyncCommand<World, Service>;
export type Step = { world: World; api: Service };

/** Any number, for `pick`. */
export const anyOf = fc.nat({ max: 10_000 });

/** A step of a sequence: its input is drawn before, and it checks each answer against the model. */
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

/** A request that has to be refused so, whatever it is about. */
export async function refused(
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

/** Creates by POST; `isTwice` sends the request again under its `Idempotency-Key`, which has to change nothing. */
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

/** Everything of a list, page after page, with the number of all that each page tells. */
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

/** Without the fields that move by themselves. */
export function still(record: object): object {
  const moving = ['updated_at', 'access_count', 'sync_status', 'summary', 'last_used_at'];
  return Object.fromEntries(Object.entries(record).filter(([name]) => !moving.includes(name)));
}

/** That these records are shown, in this order, but for what moves by itself. */
export function sameRecords(shown: readonly object[], expected: readonly object[], what: string): void {
  assert.deepEqual(shown.map(still), expected.map(still), what);
}
