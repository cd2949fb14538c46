import { readFile } from 'node:fs/promises';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { pptFile } from '#test/support/fixtures/ppt-file.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

/** Written by Apache POI on a template of PowerPoint, then changed: the last slide moved to the front, and one added. */
const CHANGED = new URL('../../../support/fixtures/reordered.ppt', import.meta.url);

test('reads the slides of a binary presentation in their order, as it was saved last', async (t) => {
  const { text, mediaType, notes, pages } = await readBytes(await readFile(CHANGED), { name: 'report.ppt' });
  t.is(mediaType, 'application/vnd.ms-powerpoint');
  t.is(
    text.trim(),
    `No title here

# Prices

| Item | Price | Stock |
| --- | --- | --- |
| Bolt | 3.50 |  |
| Nut | 1.20 | 17 |

All prices without tax.
Subject to change.

Inside a group

# Quarterly report für Köln — 東京

- Revenue rose
- In the north
  - by 12 percent
- Costs fell

# Added later`,
  );
  t.is(notes['page_count'], 4);
  t.deepEqual(
    pages.map(({ page, start }) => [page, text.slice(start).split('\n')[0]]),
    [
      [1, 'No title here'],
      [2, '# Prices'],
      [3, '# Quarterly report für Köln — 東京'],
      [4, '# Added later'],
    ],
  );
});

test('reads texts of the outline, notes and comments of a binary presentation, without its footers', async (t) => {
  const bytes = pptFile([
    {
      title: 'Budget',
      body: 'Rent\rWages\rTravel',
      notes: 'Mention the strike.\rThen pause.',
      comment: 'Is this still\rright?',
      footer: 'ACME Ltd',
    },
    { title: 'Thanks\vto all', body: 'Only one paragraph' },
  ]);
  const { text } = await readBytes(bytes, { name: 'budget.pps' });
  t.is(
    text.trim(),
    `# Budget

- Rent
- Wages
- Travel

Notes: Mention the strike.

Then pause.

Comment: Is this still right?

# Thanks to all

Only one paragraph`,
  );
});

test('rejects binary presentations that are encrypted or damaged, with what to do', async (t) => {
  const slides = [{ title: 'Words', body: 'More words', notes: 'And more', comment: 'Even more' }];
  const locked = pptFile(slides, { isEncrypted: true });
  await t.throwsAsync(readBytes(locked, { name: 'a.ppt' }), { code: 'encrypted', message: /password/ });
  const whole = pptFile(slides);
  // Each place that may hold a length, an offset or a number of the structure leads somewhere else.
  const begin = whole.indexOf(Buffer.from('e803', 'hex'));
  for (let at = begin - 2; at < Math.min(begin + 900, whole.length - 1); at += 2) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt16LE(0xffff, at);
    const outcome = await readBytes(damaged, { name: 'a.ppt' }).catch((error: unknown) => error);
    if (!(outcome instanceof Error)) continue;
    t.true(outcome instanceof AppError, `${at}: ${String(outcome)}`);
    t.true(['unreadable', 'encrypted', 'unsupported_type'].includes(outcome instanceof AppError ? outcome.code : ''));
  }
  const original = await readFile(CHANGED);
  await t.throwsAsync(readBytes(original.subarray(0, 9000), { name: 'a.ppt' }), {
    code: 'unreadable',
    message: /save it as/,
  });
});
