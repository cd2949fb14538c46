import { setTimeout as delay } from 'node:timers/promises';
import { hostileCorpus } from '#test/support/fixtures/hostile/corpus.ts';
import type { Attack } from './attack.ts';
import type { Target } from './target.ts';

const ATTACK_MS = 25_000;
const POLL_MS = 250;

/** Bombs, deep nesting, and texts on which regular expressions run long. */
const NAMES = new Set(
  (
    'bomb.docx bomb.xlsx doubly-compressed.pdf inflating.pdf huge.png all-merged.xlsx laughs.docx repeated-rows.ods many-entries.docx ' +
    'deep.html deep-lists.html open-tags.html wide-spans.html deep.docx open-quote.csv brackets.md links.md emphasis.md comments.md deep.rtf'
  ).split(' '),
);

/** Documents that are made to occupy a reader for ever, or to fill its memory. */
export const documentAttack: Attack = {
  title: `${NAMES.size} hostile documents`,
  group: 'documents',
  before: 'not measured',
  requestsAtOnce: 1,
  prepare: async (target) => {
    const files = hostileCorpus('http://127.0.0.1:9').filter(({ name }) => NAMES.has(name));
    return () => uploadFiles(target, files);
  },
};

async function uploadFiles(target: Target, files: readonly { name: string; bytes: Buffer }[]): Promise<string> {
  const untilMs = performance.now() + ATTACK_MS;
  const entries = files.map(({ name, bytes }) => ['files', new Blob([new Uint8Array(bytes)]), name] as const);
  const { upload_id: id, failed_uploads: refused } = await target.upload(entries);
  for (;;) {
    const { progress } = await target.client.progress(id ?? '');
    const isOver = performance.now() > untilMs;
    if (progress.settled < progress.total && !isOver) {
      await delay(POLL_MS);
      continue;
    }
    await target.send(`/uploads/${id}/cancel`, { method: 'POST' });
    const { ready = 0, failed = 0 } = progress.by_status;
    const rest = progress.total - progress.settled;
    return `${ready} ready, ${failed} failed with a message, ${refused} refused${rest > 0 ? `, ${rest} still being read` : ''}`;
  }
}
