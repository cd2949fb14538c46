import { z } from 'zod';
import { mebibytes } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { tally, type Answer, type Target } from './target.ts';

const ATTACK_MS = 6_000;
const AT_ONCE = 8;
/** The longest message, in characters of three bytes. */
const MESSAGE = '€'.repeat(262_144);
const MESSAGES = 300;
const CONTENTS = 400;
const WRITERS = 4;

type List = { what: string; before: string; fill: (target: Target) => Promise<string> };

const LISTS: readonly List[] = [
  {
    what: 'messages of 0.8 MB',
    before: 'pages of 391 MB, stalls of 4–19 s, 500, 9.2 GB',
    async fill(target) {
      const { id } = await target.call('/conversations', z.object({ id: z.string() }), { json: {} });
      const write = async () => {
        for (let number = 0; number < MESSAGES / WRITERS; number += 1)
          await target.call('/messages', z.unknown(), { json: { conversation_id: id, content: MESSAGE } });
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
      return `/conversations/${id}/messages`;
    },
  },
  {
    what: 'contents with 60 kB of metadata',
    before: 'the same',
    async fill(target) {
      await target.upload([
        ['ingest', 'false'],
        ['metadata', JSON.stringify({ note: 'x'.repeat(60_000) })],
        ...Array.from({ length: CONTENTS }, (_, number) => ['content', `text ${number}`] as const),
      ]);
      return '/contents';
    },
  },
];

/** Large pages of large rows: one at a time, which shows what a request costs, and eight at once. */
export const pageAttacks: Attack[] = LISTS.flatMap(({ what, before, fill }) =>
  [1, AT_ONCE].map((requestsAtOnce) => ({
    title: `pages of ${what}, ${requestsAtOnce === 1 ? 'one at a time' : 'eight at once'}`,
    group: 'pages',
    before,
    requestsAtOnce,
    async prepare(target) {
      const path = await fill(target);
      return () => readPages(target, path, requestsAtOnce);
    },
  })),
);

async function readPages(target: Target, path: string, requestsAtOnce: number): Promise<string> {
  const untilMs = performance.now() + ATTACK_MS;
  const answers: Answer[] = [];
  const read = async (reader: number) => {
    for (let number = reader; performance.now() < untilMs; number += 1)
      answers.push(await target.send(`${path}?limit=${number % 2 === 0 ? 400 : 1000}`));
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, (_, reader) => read(reader)));
  const largest = Math.max(...answers.map(({ bytes }) => bytes));
  return `${tally(answers)}; at most ${mebibytes(largest)} a page`;
}
