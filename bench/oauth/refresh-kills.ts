import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '#domain/records/connection.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi, type BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import {
  ROTATIONS,
  startRotatingProvider,
  type Rotation,
  type RotatingProvider,
} from '#test/support/servers/rotating-provider.ts';
import { seededRandom, type SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { TestStack } from '#test/support/harness/stack.ts';

export type KillsOptions = { kills: number; perKill: number; seed: number; log: (line: string) => void };

export type KindResult = {
  refreshes: number;
  /** Whose exchange was under way at the kill. */
  hit: number;
  /** The grant is gone, for the worker died between the change of the tokens at the provider and their arrival in Postgres. */
  lostInWindow: number;
  /** Of those, the ones whose answer the provider had sent already: the part of the window that is ours. */
  lostAfterAnswer: number;
  /** The grant is gone for any other reason; what must not be. */
  lostOutside: number;
};

export type KillsResult = { kinds: Record<Rotation, KindResult>; kills: number; elapsedMs: number };

type Arena = {
  stack: TestStack;
  api: ApiClient;
  behind: BehindTheApi;
  provider: RotatingProvider;
  random: SeededRandom;
};
type Subject = { id: string; grant: string; rotation: Rotation };

/** The provider changes tokens up to this long after a request, and answers up to this long after that. */
const BEFORE_MS = 300;
const AFTER_MS = 200;
/** The last moment of a kill: about when the last refresh is written. */
const LAST_MOMENT_MS = 900;
/** Longer than it takes to notice that a worker died. */
const GRACE_MS = 60_000;
/** An answer is read, sealed and written within this time, else it was the machine. */
const WRITE_MS = 500;

/** Kills the worker at random moments while connections of every kind are refreshed, and looks which of them are lost. */
export async function playRefreshKills(stack: TestStack, options: KillsOptions): Promise<KillsResult> {
  const startedMs = performance.now();
  const random = seededRandom(options.seed);
  const delays = () => ({ beforeMs: random.between(0, BEFORE_MS), afterMs: random.between(0, AFTER_MS) });
  const provider = await startRotatingProvider({ graceMs: GRACE_MS, delays });
  const arena: Arena = { stack, api: await freshClient(), behind: openBehindTheApi(stack), provider, random };
  const none = (): KindResult => ({ refreshes: 0, hit: 0, lostInWindow: 0, lostAfterAnswer: 0, lostOutside: 0 });
  const kinds: KillsResult['kinds'] = { none: none(), grace: none(), strict: none() };
  try {
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const line = await playKill(arena, options.perKill, kinds);
      options.log(`kill ${kill} of ${options.kills}: ${line}`);
    }
    return { kinds, kills: options.kills, elapsedMs: performance.now() - startedMs };
  } finally {
    await arena.behind.close();
    await provider.close();
  }
}

async function playKill(arena: Arena, perKill: number, kinds: KillsResult['kinds']): Promise<string> {
  const { stack, random } = arena;
  const subjects = await Promise.all(
    ROTATIONS.flatMap((rotation) => Array.from({ length: perKill }, () => connect(arena, rotation))),
  );
  const asking = subjects.map(({ id }) => ask(arena, id).catch(() => 0));
  await delay(random.between(0, LAST_MOMENT_MS));
  const killedMs = performance.now();
  await stack.processes.worker.signal('SIGKILL');
  await stack.processes.worker.start();
  await Promise.all(asking);
  const ends = await Promise.all(subjects.map(async (subject) => endOf(arena, subject, killedMs)));
  for (const [index, { rotation }] of subjects.entries()) {
    const kind = kinds[rotation];
    const end = ends[index];
    kind.refreshes += 1;
    if (end?.wasHit) kind.hit += 1;
    if (end?.fate === 'window') kind.lostInWindow += 1;
    if (end?.fate === 'window' && end.wasAnswered) kind.lostAfterAnswer += 1;
    if (end?.fate === 'outside') kind.lostOutside += 1;
  }
  const count = (fate: string) => ends.filter((end) => end.fate === fate).length;
  return `${count('alive')} alive, ${count('window')} lost in the window, ${count('outside')} lost otherwise`;
}

async function connect({ api, provider }: Arena, rotation: Rotation): Promise<Subject> {
  const { name, refreshToken } = provider.grant(rotation);
  const { id } = await api.post('/connections', Connection, {
    json: {
      integration: 'rotating',
      integration_type: 'connectors',
      config: { oauth: { token_endpoint: provider.server.tokenEndpoint } },
      credentials: { client_id: 'loci', client_secret: 'x', refresh_token: refreshToken },
    },
    status: 201,
  });
  return { id, grant: name, rotation };
}

async function ask({ api }: Arena, id: string): Promise<number> {
  const answer = await api.send(`/oauth/refresh/${id}`, { method: 'POST' });
  await answer.arrayBuffer();
  return answer.status;
}

type End = { fate: 'alive' | 'window' | 'outside'; wasHit: boolean; wasAnswered: boolean };

/** A connection is alive when its tokens, as they are kept, can be refreshed once more. */
async function endOf(arena: Arena, { id, grant }: Subject, killedMs: number): Promise<End> {
  const history = [...arena.provider.historyOf(grant)];
  const settled = () => eventually('the run comes to its end', async () => [200, 409].includes(await ask(arena, id)));
  await settled();
  await arena.behind.query(
    `update credentials set last_refresh_at = last_refresh_at - interval '1 minute'
     where id = (select credential_id from connections where id = :id)`,
    { id },
  );
  await settled();
  const { status } = await arena.api.get(`/connections/${id}`, Connection);
  const isInWindow = history.some(
    ({ changedMs, answeredMs }) =>
      changedMs <= killedMs + WRITE_MS && (answeredMs === null || killedMs <= answeredMs + WRITE_MS),
  );
  const [first] = arena.provider.historyOf(grant);
  const wasHit = first === undefined || first.changedMs > killedMs || (first.answeredMs ?? Infinity) > killedMs;
  const wasAnswered = (first?.answeredMs ?? Infinity) <= killedMs;
  const lost = isInWindow ? 'window' : 'outside';
  return { fate: status === 'active' ? 'alive' : lost, wasHit, wasAnswered };
}

/** What must not be: lost where nothing need be, or outside the window that nobody can close. */
export function findingsOfKills({ kinds }: KillsResult): string[] {
  return ROTATIONS.flatMap((rotation) => {
    const { lostInWindow, lostOutside } = kinds[rotation];
    const lost = rotation === 'strict' ? lostOutside : lostInWindow + lostOutside;
    return lost > 0 ? [`${lost} connections of the kind ${rotation} are lost`] : [];
  });
}

/** The figures, for people. */
export function reportOfKills({ kinds, kills, elapsedMs }: KillsResult): string[] {
  return [
    `${kills} kills of the worker in ${(elapsedMs / 60_000).toFixed(1)} min`,
    ...ROTATIONS.map((rotation) => {
      const { refreshes, hit, lostInWindow, lostAfterAnswer, lostOutside } = kinds[rotation];
      return `${rotation.padEnd(7)} ${refreshes} refreshes, ${hit} not over at the kill, lost ${lostInWindow + lostOutside} (${lostInWindow} in the unavoidable window, of them ${lostAfterAnswer} after the answer was sent; ${lostOutside} otherwise)`;
    }),
  ];
}
