import type { ApiClient } from '#test/support/harness/api-client.ts';
import { retryCrashed, waitUntilFinished, type WatchedUploads } from './run-progress.ts';
import type { AcknowledgedContent, RoundResult } from './round-result.ts';
import { timeUntilFound, type SingleTexts } from './single-texts.ts';

type EndingRound = WatchedUploads & {
  api: ApiClient;
  kills: RoundResult['kills'];
  contents: readonly AcknowledgedContent[];
  texts: readonly SingleTexts[];
  startedMs: number;
  title: string;
  log: (line: string) => void;
};

/** Waits, after the last kill, until the single texts are found and all contents finish. Returns what became of the round. */
export async function finishRound(round: EndingRound): Promise<RoundResult> {
  const { api, kills, contents, title, log } = round;
  const texts = (await Promise.all(round.texts.map((one) => one.stop()))).flat();
  const slowestTextMs = await timeUntilFound(api, texts);
  const isStuck = !(await waitUntilFinished(round));
  const seconds = ((performance.now() - round.startedMs) / 1000).toFixed(0);
  const { crashed, failed } = await retryCrashed(round);
  const alone = crashed > 0 ? `, ${crashed} of them failed alone and were retried` : '';
  const found = `single texts found after ${(slowestTextMs / 1000).toFixed(1)} s`;
  const stuck = isStuck ? ', SOME ARE STUCK' : '';
  log(`${title}: ${contents.length} contents finished after ${seconds} s${alone}, ${found}${stuck}`);
  for (const line of failed) log(`${title}: ${line}`);
  return { contents: [...contents, ...texts], kills, crashed, failed, isStuck, slowestTextMs };
}
