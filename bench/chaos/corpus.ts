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

type Kind = {
  name: string;
  mediaType: string;
  make: (tools: { random: SeededRandom; write: Writer }, sentence: string) => Buffer;
};

const SMALL_FILES: readonly Kind[] = [
  text('tiny.txt', 100),
  text('small.txt', 1_000, 4_000),
  {
    name: 'notes.md',
    mediaType: 'text/markdown',
    make: ({ write }, sentence) =>
      Buffer.from(`# ${write.sentence()}\n\n${write.paragraphs(5_000)}\n\n## End\n\n${sentence}.\n`),
  },
  {
    name: 'rows.csv',
    mediaType: 'text/csv',
    make: ({ write }, sentence) => Buffer.from(`number,note\n${write.rows(200)}\n201,${sentence}\n`),
  },
  {
    name: 'short.pdf',
    mediaType: 'application/pdf',
    make: ({ write }, sentence) => pdfOf(write, { pages: 2, sentence }),
  },
  {
    name: 'letter.docx',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    make: ({ write }, sentence) =>
      docx([write.paragraphs(2_000), sentence].map((paragraph) => docxParagraph(paragraph)).join('')),
  },
];

const LARGE_FILES: readonly Kind[] = [
  text('middle.txt', 20_000, 60_000),
  text('large.txt', 150_000, 300_000),
  {
    name: 'long.pdf',
    mediaType: 'application/pdf',
    make: ({ random, write }, sentence) => pdfOf(write, { pages: random.between(20, 60), sentence }),
  },
];

const PAGE: Kind = {
  name: 'page.html',
  mediaType: 'text/html',
  make: ({ write }, sentence) => pageOf(write, sentence),
};

/** One document in so many is large. */
const LARGE_EVERY = 40;
/** One document in so many is a page. */
const PAGE_EVERY = 8;

/** Generates documents of many kinds and sizes; `bigTextBytes` adds one whose chunks need many batches. */
export function makeCorpus(random: SeededRandom, prefix: string, bigTextBytes = 0): Corpus {
  const make = createMaker(random);
  const big = bigTextBytes > 0 ? [text('big.txt', bigTextBytes)] : [];
  return {
    files: [...SMALL_FILES, ...LARGE_FILES, ...big].map((kind) => make(kind, `${prefix}-`)),
    pages: ['1', '2'].map((number) => make(PAGE, `${prefix}-${number}-`)),
  };
}

/** Generates so many documents, most of them small. */
export function makeDocuments(random: SeededRandom, prefix: string, count: number): Corpus {
  const make = createMaker(random);
  const corpus: Corpus = { files: [], pages: [] };
  for (let number = 1; number <= count; number += 1) {
    const isPage = number % PAGE_EVERY === 0 && number % LARGE_EVERY !== 0;
    const files = number % LARGE_EVERY === 0 ? LARGE_FILES : SMALL_FILES;
    const kind = (isPage ? null : files[random.between(0, files.length - 1)]) ?? PAGE;
    corpus[isPage ? 'pages' : 'files'].push(make(kind, `${prefix}-${number}-`));
  }
  return corpus;
}

function createMaker(random: SeededRandom) {
  const words = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: random.between(2, 4) }, () => random.pick(['ba', ...SYLLABLES])).join(''),
  );
  const write = createWriter(random, words);
  return (kind: Kind, prefix: string): Document => {
    const name = `${prefix}${kind.name}`;
    const sentence = `${write.sentence()} ${name.replace(/\W/g, '')}${random.between(100_000, 999_999)}`;
    return { name, mediaType: kind.mediaType, bytes: kind.make({ random, write }, sentence), sentence };
  };
}

function text(name: string, fromBytes: number, toBytes = fromBytes): Kind {
  return {
    name,
    mediaType: 'text/plain',
    make: ({ random, write }, sentence) =>
      Buffer.from(`${write.paragraphs(random.between(fromBytes, toBytes))}\n\n${sentence}.\n`),
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
