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
  /** Number of connections whose exchange was running at the kill. */
  interrupted: number;
  /** Grants lost because the worker died after the provider rotated the tokens and before they were stored in Postgres. */
  lostInWindow: number;
  /** Those of `lostInWindow` whose response the provider had already sent: the part of the window that we control. */
  lostAfterAnswer: number;
  /** Grants lost for any other reason; must be 0. */
  lostOutside: number;
};

export type KillsResult = { kinds: Record<Rotation, KindResult>; kills: number; elapsedMs: number };

type KillContext = {
  stack: TestStack;
  api: ApiClient;
  behind: BehindTheApi;
  provider: RotatingProvider;
  random: SeededRandom;
};
type RefreshedConnection = { id: string; grant: string; rotation: Rotation };

/** The provider rotates tokens up to the first delay after a request, and responds up to the second delay after that. */
const MAX_DELAY_BEFORE_ROTATION_MS = 300;
const MAX_DELAY_AFTER_ROTATION_MS = 200;
/** Latest time of a kill: about when the last refresh is stored. */
const MAX_KILL_DELAY_MS = 900;
/** Longer than it takes to detect a dead worker. */
const GRACE_MS = 60_000;
/** Time within which a response is read, sealed and stored; more is attributed to the machine. */
const WRITE_MS = 500;

/** Kills the worker at random moments while connections of every kind are refreshed, and counts the lost ones. */
export async function playRefreshKills(stack: TestStack, options: KillsOptions): Promise<KillsResult> {
  const startedMs = performance.now();
  const random = seededRandom(options.seed);
  const delays = () => ({
    beforeMs: random.between(0, MAX_DELAY_BEFORE_ROTATION_MS),
    afterMs: random.between(0, MAX_DELAY_AFTER_ROTATION_MS),
  });
  const provider = await startRotatingProvider({ graceMs: GRACE_MS, delays });
  const context: KillContext = { stack, api: await freshClient(), behind: openBehindTheApi(stack), provider, random };
  const none = (): KindResult => ({
    refreshes: 0,
    interrupted: 0,
    lostInWindow: 0,
    lostAfterAnswer: 0,
    lostOutside: 0,
  });
  const kinds: KillsResult['kinds'] = { none: none(), grace: none(), strict: none() };
  try {
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const line = await playKill(context, options.perKill, kinds);
      options.log(`kill ${kill} of ${options.kills}: ${line}`);
    }
    return { kinds, kills: options.kills, elapsedMs: performance.now() - startedMs };
  } finally {
    await context.behind.close();
    await provider.close();
  }
}

async function playKill(context: KillContext, perKill: number, kinds: KillsResult['kinds']): Promise<string> {
  const { stack, random } = context;
  const subjects = await Promise.all(
    ROTATIONS.flatMap((rotation) => Array.from({ length: perKill }, () => createConnection(context, rotation))),
  );
  const asking = subjects.map(({ id }) => requestRefresh(context, id).catch(() => 0));
  await delay(random.between(0, MAX_KILL_DELAY_MS));
  const killedMs = performance.now();
  await stack.processes.worker.signal('SIGKILL');
  await stack.processes.worker.start();
  await Promise.all(asking);
  const outcomes = await Promise.all(subjects.map(async (subject) => findOutcome(context, subject, killedMs)));
  for (const [index, { rotation }] of subjects.entries()) {
    const kind = kinds[rotation];
    const outcome = outcomes[index];
    kind.refreshes += 1;
    if (outcome?.wasHit) kind.interrupted += 1;
    if (outcome?.result === 'window') kind.lostInWindow += 1;
    if (outcome?.result === 'window' && outcome.wasAnswered) kind.lostAfterAnswer += 1;
    if (outcome?.result === 'outside') kind.lostOutside += 1;
  }
  const count = (result: string) => outcomes.filter((outcome) => outcome.result === result).length;
  return `${count('alive')} alive, ${count('window')} lost in the window, ${count('outside')} lost otherwise`;
}

async function createConnection({ api, provider }: KillContext, rotation: Rotation): Promise<RefreshedConnection> {
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

async function requestRefresh({ api }: KillContext, id: string): Promise<number> {
  const answer = await api.send(`/oauth/refresh/${id}`, { method: 'POST' });
  await answer.arrayBuffer();
  return answer.status;
}

type Outcome = { result: 'alive' | 'window' | 'outside'; wasHit: boolean; wasAnswered: boolean };

/** Determines the outcome of a connection. It is alive if its stored tokens can be refreshed once more. */
async function findOutcome(
  context: KillContext,
  { id, grant }: RefreshedConnection,
  killedMs: number,
): Promise<Outcome> {
  const history = [...context.provider.historyOf(grant)];
  const settled = () =>
    eventually('the run finishes', async () => [200, 409].includes(await requestRefresh(context, id)));
  await settled();
  await context.behind.query(
    `update credentials set last_refresh_at = last_refresh_at - interval '1 minute'
     where id = (select credential_id from connections where id = :id)`,
    { id },
  );
  await settled();
  const { status } = await context.api.get(`/connections/${id}`, Connection);
  const isInWindow = history.some(
    ({ changedMs, answeredMs }) =>
      changedMs <= killedMs + WRITE_MS && (answeredMs === null || killedMs <= answeredMs + WRITE_MS),
  );
  const [first] = context.provider.historyOf(grant);
  const wasHit = first === undefined || first.changedMs > killedMs || (first.answeredMs ?? Infinity) > killedMs;
  const wasAnswered = (first?.answeredMs ?? Infinity) <= killedMs;
  const lost = isInWindow ? 'window' : 'outside';
  return { result: status === 'active' ? 'alive' : lost, wasHit, wasAnswered };
}

/** Lists unacceptable losses: without strict rotation any loss, with strict rotation losses outside the unavoidable window. */
export function listKillFindings({ kinds }: KillsResult): string[] {
  return ROTATIONS.flatMap((rotation) => {
    const { lostInWindow, lostOutside } = kinds[rotation];
    const lost = rotation === 'strict' ? lostOutside : lostInWindow + lostOutside;
    return lost > 0 ? [`${lost} connections with rotation "${rotation}" are lost`] : [];
  });
}

/** Formats the figures. */
export function formatKillReport({ kinds, kills, elapsedMs }: KillsResult): string[] {
  return [
    `${kills} kills of the worker in ${(elapsedMs / 60_000).toFixed(1)} min`,
    ...ROTATIONS.map((rotation) => {
      const { refreshes, interrupted, lostInWindow, lostAfterAnswer, lostOutside } = kinds[rotation];
      return `${rotation.padEnd(7)} ${refreshes} refreshes, ${interrupted} running at the kill, lost ${lostInWindow + lostOutside} (${lostInWindow} in the unavoidable window, of them ${lostAfterAnswer} after the response was sent; ${lostOutside} otherwise)`;
    }),
  ];
}
