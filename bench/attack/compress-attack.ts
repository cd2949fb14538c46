import { setTimeout as delay } from 'node:timers/promises';
import { sampleText } from '#bench/sample-texts.ts';
import { milliseconds, percentile } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { createTarget, tally, type Answer, type Target } from './target.ts';

const LARGE = 8;
const LARGE_BYTES = 1024 * 1024;
const SMALL_BYTES = 300;
const SMALL_EVERY_MS = 200;
const ATTACK_MS = 15_000;

/** Small texts to compress behind large ones, in the same and in another workspace. */
export const compressAttack: Attack = {
  title: 'a small compress behind eight of 1 MiB',
  group: 'compress',
  before: 'the small one waits 32 s',
  requestsAtOnce: LARGE,
  prepare: async (target) => {
    const other = await createTarget(target.stack);
    return async () => {
      const untilMs = performance.now() + ATTACK_MS;
      const large = Array.from({ length: LARGE }, (_, number) => compressUntil(target, { number, untilMs }));
      const small = [target, other].map((one) => compressSmall(one, untilMs));
      const [answers, [own = [], others = []]] = await Promise.all([Promise.all(large), Promise.all(small)]);
      await other.close();
      return `large: ${tally(answers.flat())}; small: ${longest(own)}; of another workspace: ${longest(others)}`;
    };
  },
};

const compress = (target: Target, content: string): Promise<Answer> =>
  target.send('/compress', { json: { content, strategy: 'extractive' } });

async function compressUntil(target: Target, { number, untilMs }: { number: number; untilMs: number }) {
  const answers: Answer[] = [];
  while (performance.now() < untilMs) answers.push(await compress(target, sampleText(number, LARGE_BYTES)));
  return answers;
}

async function compressSmall(target: Target, untilMs: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let number = 0; performance.now() < untilMs; number += 1) {
    await delay(SMALL_EVERY_MS);
    answers.push(await compress(target, sampleText(number, SMALL_BYTES)));
  }
  return answers;
}

function longest(answers: readonly Answer[]): string {
  const times = answers.map(({ elapsedMs }) => elapsedMs);
  return `${tally(answers)}, p95 ${milliseconds(percentile(times, 0.95))}, at most ${milliseconds(Math.max(...times))}`;
}
