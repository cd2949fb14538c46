import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';

/** A document with a unique sentence near its end. */
export type Document = { name: string; mediaType: string; bytes: Buffer; sentence: string };

export type Corpus = {
  /** Uploaded as files. */
  files: Document[];
  /** Served for download. */
  pages: Document[];
};

const SYLLABLES = 'ba ce di fo gu ka le mi no pu ra se ti vo zu lan mer tis gor pel'.split(' ');
const VOCABULARY = 600;
const LINES_PER_PAGE = 40;

/** Generates documents of many kinds and sizes; `bigTextBytes` adds one whose chunks need many batches. */
export function makeCorpus(random: SeededRandom, prefix: string, bigTextBytes = 0): Corpus {
  const words = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: random.between(2, 4) }, () => random.pick(['ba', ...SYLLABLES])).join(''),
  );
  const write = createWriter(random, words);
  const named = (name: string, mediaType: string, make: (sentence: string) => Buffer): Document => {
    const sentence = `${write.sentence()} ${prefix}${name.replace(/\W/g, '')}${random.between(100_000, 999_999)}`;
    return { name: `${prefix}-${name}`, mediaType, bytes: make(sentence), sentence };
  };
  const text = (name: string, sizeBytes: number) =>
    named(name, 'text/plain', (sentence) => Buffer.from(`${write.paragraphs(sizeBytes)}\n\n${sentence}.\n`));
  return {
    files: [
      text('tiny.txt', 100),
      text('small.txt', random.between(1_000, 4_000)),
      text('middle.txt', random.between(20_000, 60_000)),
      text('large.txt', random.between(150_000, 300_000)),
      named('notes.md', 'text/markdown', (sentence) =>
        Buffer.from(`# ${write.sentence()}\n\n${write.paragraphs(5_000)}\n\n## End\n\n${sentence}.\n`),
      ),
      named('rows.csv', 'text/csv', (sentence) => Buffer.from(`number,note\n${write.rows(200)}\n201,${sentence}\n`)),
      named('short.pdf', 'application/pdf', (sentence) => pdfOf(write, { pages: 2, sentence })),
      named('long.pdf', 'application/pdf', (sentence) => pdfOf(write, { pages: random.between(20, 60), sentence })),
      named('letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', (sentence) =>
        docx([write.paragraphs(2_000), sentence].map((paragraph) => docxParagraph(paragraph)).join('')),
      ),
      ...(bigTextBytes > 0 ? [text('big.txt', bigTextBytes)] : []),
    ],
    pages: [
      named('page-1.html', 'text/html', (sentence) => pageOf(write, sentence)),
      named('page-2.html', 'text/html', (sentence) => pageOf(write, sentence)),
    ],
  };
}

type Writer = { sentence(): string; paragraphs(sizeBytes: number): string; rows(count: number): string };

function createWriter(random: SeededRandom, words: readonly string[]): Writer {
  const phrase = (length: number) =>
    Array.from({ length }, () => words[random.between(0, words.length - 1)] ?? '').join(' ');
  const sentence = () => phrase(random.between(5, 9));
  return {
    sentence,
    paragraphs(sizeBytes) {
      const parts: string[] = [];
      for (let written = 0; written < sizeBytes; written += parts.at(-1)?.length ?? 1) {
        parts.push(Array.from({ length: random.between(3, 8) }, () => `${sentence()}.`).join(' '));
      }
      return parts.join('\n\n');
    },
    rows: (count) => Array.from({ length: count }, (_, index) => `${index + 1},${sentence()}`).join('\n'),
  };
}

function pdfOf(write: Writer, { pages, sentence }: { pages: number; sentence: string }): Buffer {
  return pdf(
    Array.from({ length: pages }, (_, page) =>
      Array.from({ length: LINES_PER_PAGE }, (_line, line) => ({
        text: page === pages - 1 && line === LINES_PER_PAGE - 1 ? sentence : write.sentence(),
        size: 9,
        y: 800 - line * 18,
      })),
    ),
  );
}

function pageOf(write: Writer, sentence: string): Buffer {
  const paragraphs = write.paragraphs(3_000).split('\n\n');
  return Buffer.from(
    `<!doctype html><title>${write.sentence()}</title><body><article><h1>${write.sentence()}</h1>` +
      `${[...paragraphs, `${sentence}.`].map((paragraph) => `<p>${paragraph}</p>`).join('\n')}</article></body>`,
  );
}
