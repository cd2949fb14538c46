import test from 'ava';
import * as fc from 'fast-check';
import { indexedText, type ChunkLimits, type PlannedChunk } from '#domain/chunking/chunker.ts';
import { findSentenceEnds } from '#domain/chunking/sentences.ts';
import { createStructureChunker } from '#providers/chunkers/structure-chunker.ts';

const chunker = createStructureChunker();

/** Counts every word and punctuation mark as one token: additive over blank space, like WordPiece. */
function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu)?.length ?? 0;
}

function split(text: string, limits: ChunkLimits = { maxTokens: 64, targetTokens: 48 }): PlannedChunk[] {
  return Array.from(chunker.split({ text, pages: [], notes: {} }, limits, countWords));
}

const line = fc.oneof(
  { weight: 6, arbitrary: fc.lorem({ mode: 'sentences', maxCount: 6 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  fc.constant(''),
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.lorem({ maxCount: 4 }))
    .map(([level, title]) => `${'#'.repeat(level)} ${title}`),
  fc.lorem({ maxCount: 8 }).map((words) => `- ${words}`),
  fc.lorem({ maxCount: 8 }).map((words) => `| ${words.split(' ').join(' | ')} |`),
  fc.constantFrom('```', '~~~', '---', '===', '| --- | --- |', '   ', '\t'),
  fc.string({ unit: fc.constantFrom('天', '地', '。', '，', '👩‍👩‍👧', 'é', '\u0301'), maxLength: 400 }),
  fc.integer({ min: 100, max: 3_000 }).map((length) => 'x'.repeat(length)),
  fc
    .tuple(fc.constantFrom('a', '', '---', '```', '| - |', '==='), fc.integer({ min: 100, max: 3_000 }))
    .map(([start, length]) => `${start}${' '.repeat(length)}b`),
);
const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
const limits = fc
  .record({ maxTokens: fc.integer({ min: 16, max: 300 }), part: fc.double({ min: 0.3, max: 1, noNaN: true }) })
  .map(({ maxTokens, part }) => ({ maxTokens, targetTokens: Math.max(1, Math.floor(maxTokens * part)) }));

test('puts every non-blank character into exactly one chunk, in order, at the stated offsets', (t) => {
  fc.assert(
    fc.property(text, limits, (content, given) => {
      let covered = 0;
      for (const chunk of split(content, given)) {
        t.is(chunk.text, content.slice(chunk.start, chunk.end));
        t.not(chunk.text.trim(), '');
        t.is(content.slice(covered, chunk.start).trim(), '');
        t.true(chunk.start >= covered);
        covered = chunk.end;
      }
      t.is(content.slice(covered).trim(), '');
    }),
    { numRuns: 300 },
  );
});

test('does not treat text after a long line start as part of a marker', (t) => {
  for (const start of ['', '---', '```\ncode\n```', '| - |', '# Title\n===', '***']) {
    const content = `${start}${' '.repeat(5_000)}The barge is moored.`;
    const chunks = split(content, { maxTokens: 512, targetTokens: 400 });
    t.true(
      chunks.some((chunk) => chunk.text.includes('The barge is moored.')),
      start,
    );
  }
});

test('keeps every chunk with its context within the token limit and the length its tokens allow', (t) => {
  fc.assert(
    fc.property(text, limits, (content, given) => {
      for (const chunk of split(content, given)) {
        t.true(chunk.tokens <= given.maxTokens, `${chunk.tokens} tokens`);
        t.true(countWords(indexedText(chunk)) <= chunk.tokens);
      }
    }),
    { numRuns: 300 },
  );
});

test('keeps the limit for a counter that counts blank space and bytes too', (t) => {
  const countMore = (part: string) => countWords(part) + (part.match(/\s/g)?.length ?? 0) + Math.ceil(part.length / 40);
  fc.assert(
    fc.property(text, limits, (content, given) => {
      for (const chunk of chunker.split({ text: content, pages: [], notes: {} }, given, countMore)) {
        t.true(countMore(indexedText(chunk)) <= given.maxTokens);
      }
    }),
  );
});

test('produces the same chunks for the same document', (t) => {
  fc.assert(fc.property(text, limits, (content, given) => t.deepEqual(split(content, given), split(content, given))));
});

test('never splits a surrogate pair', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('😀', '𝕏', '🇨🇭'), minLength: 100, maxLength: 600 }), (content) => {
      for (const chunk of split(content)) t.true(chunk.text.isWellFormed());
    }),
  );
});

test('never ends a chunk with a heading that has text below it', (t) => {
  fc.assert(
    fc.property(text, (content) => {
      const chunks = split(content.replaceAll(/[`~=]|^---$/gm, ''), { maxTokens: 128, targetTokens: 96 });
      for (const chunk of chunks.slice(0, -1)) {
        const lines = chunk.text.split('\n').filter((one) => one.trim() !== '');
        const allHeadings = lines.every((one) => /^#{1,6} \S/.test(one));
        if (!allHeadings) t.notRegex(lines.at(-1) ?? '', /^#{1,6} \S/);
      }
    }),
  );
});

test('splits code before a line at the margin that follows an empty line', (t) => {
  const definition = (name: string): string =>
    `def ${name}(items):\n    first = items[0]\n\n    second = items[1]\n\n    return first + second\n`;
  const code = `\`\`\`python\n${['one', 'two', 'three', 'four'].map(definition).join('\n')}\`\`\`\n`;
  const chunks = split(code, { maxTokens: 120, targetTokens: 45 });
  t.true(chunks.length > 1);
  for (const chunk of chunks.slice(1)) t.regex(chunk.text, /^def /);
});

test('finds the ends of numbers behind millions of spaces, without passing over the spaces for each of them', (t) => {
  const ends = [...findSentenceEnds(`${' '.repeat(2_000_000)}${'1. '.repeat(600_000)}`)];
  t.is(ends.length, 599_999, 'the first is the number of an item');
  t.is(ends[0]?.end, 2_000_005);
});

const BESIDE_CODE: readonly (readonly [title: string, markdown: string])[] = [
  ['code in three backticks within a line', '```npm install```'],
  ['code in three backticks before other text', '```npm ci``` and then ```npm start```'],
  [
    'a code block behind the number of an item',
    '1. ```bash\n   # Production only\n   npm install\n   ```\n2. Next step',
  ],
  [
    'a code block behind the bullet of a nested item',
    '- Run\n  - ```bash\n    # Production only\n    npm install\n    ```',
  ],
  ['a code block with tildes', '* ~~~ a`b`c\n  # Production only\n  ~~~'],
  ['a code block that ends with its item', '1. ```sh\n   # Production only\n2. ```'],
  ['a code block that ends with its nested item', '- Run\n  - ```sh\n\n    # Production only\n- Next'],
  ['a code block behind a tab', '-\t```sh\n\t# Production only\n\t```'],
  ['a code block with less indentation than its item', '10. ```sh\n   # Production only\n   ```'],
  ['three backticks that are text of an item', '- ``` closes a block'],
];
for (const [title, markdown] of BESIDE_CODE) {
  test(`finds the headings behind ${title}, and none within`, (t) => {
    const after =
      '\n\n## Setup\n\nFirst the server is set up.\n\n```bash\n# Start\n./run\n```\n\n## Usage\n\nThen it is used.\n';
    const chunks = split(`# Guide\n\n${markdown}${after}`, { maxTokens: 24, targetTokens: 10 });
    const titles = new Set(chunks.flatMap((chunk) => chunk.headingPath));
    t.deepEqual([...titles], ['Guide', 'Setup', 'Usage']);
    const pathOf = (part: string) => chunks.find((chunk) => chunk.text.includes(part))?.headingPath;
    t.deepEqual(pathOf('set up.'), ['Guide', 'Setup']);
    t.deepEqual(pathOf('./run'), ['Guide', 'Setup']);
    t.deepEqual(pathOf('Then it is used.'), ['Guide', 'Usage']);
  });
}
