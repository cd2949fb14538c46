import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';
import { cancelAndDeleteOne } from '../cancel-and-delete.ts';
import { makeDocuments } from '../corpus.ts';
import { finishRound } from '../finish-round.ts';
import { killAndRestart, killProcess, restartProcess, type Killable, type KillContext } from '../kill-process.ts';
import type { PageServer } from '../page-server.ts';
import type { AcknowledgedContent, RoundResult } from '../round-result.ts';
import { isFinished } from '../run-progress.ts';
import { startSingleTexts } from '../single-texts.ts';
import { sendDocuments } from './send-documents.ts';

/** What the rounds share. */
export type MachinesContext = {
  /** One for each machine. */
  apis: readonly [ApiClient, ...ApiClient[]];
  processes: Readonly<Record<string, Killable>>;
  behind: BehindTheApi;
  pages: PageServer;
  random: SeededRandom;
  log: (line: string) => void;
};

export type MachinesPlan = { number: number; target: string; collectionId: string; documents: number };

const MAX_FIRST_DELAY_MS = 1_500;
const MAX_PAUSE_MS = 4_000;
const MAX_SECOND_DELAY_MS = 6_000;

/**
 * Uploads documents through every API, the same number through each, and single texts in between; kills one process, up to twice,
 * during uploads and ingestion, and waits until all contents finish.
 */
export async function playMachinesRound(
  context: MachinesContext,
  { number, target, collectionId, documents }: MachinesPlan,
): Promise<RoundResult & { repeated: number }> {
  const { apis, pages, random } = context;
  const startedMs = performance.now();
  const title = `round ${number} (${target})`;
  const uploadIds: string[] = [];
  const contents: AcknowledgedContent[] = [];
  const texts = apis.map((api, place) =>
    startSingleTexts({ api, random, collectionId, name: `r${number}m${place + 1}` }),
  );
  const sending = apis.map((_, place) => {
    const name = `r${number}m${place + 1}`;
    const count = Math.floor((documents + place) / apis.length);
    const order = [...apis.slice(place), ...apis.slice(0, place)];
    return sendDocuments(
      { apis: order, pages, collectionId, name, uploadIds, contents },
      makeDocuments(random, name, count),
    );
  });
  const round = { ...context, api: apis[0], uploadIds, contents, kills: {}, title };
  const killing = killTwice(round, target);
  // All of it ends before an error does, so that no process is started again after the machines have stopped.
  await Promise.allSettled([...sending, killing]);
  await killing;
  const repeated = await Promise.all(sending);
  const result = await finishRound({ ...round, texts, startedMs });
  return { ...result, repeated: repeated.reduce((sum, one) => sum + one, 0) };
}

type Round = KillContext & { api: ApiClient; contents: readonly AcknowledgedContent[] };

/** Once while documents are being uploaded, and once more at a random moment of their ingestion. */
async function killTwice(round: Round, target: string): Promise<void> {
  const { random } = round;
  await delay(random.between(0, MAX_FIRST_DELAY_MS));
  await killProcess(round, target);
  await restartProcess(round, target, random.between(0, MAX_PAUSE_MS));
  await cancelAndDeleteOne(round);
  await delay(random.between(0, MAX_SECOND_DELAY_MS));
  if (!(await isFinished(round))) await killAndRestart(round, target);
}
