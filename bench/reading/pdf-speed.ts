import { readFile } from 'node:fs/promises';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { pdfReader } from '../../providers/readers/pdf-reader.ts';
import { median, timed, verdict } from '../statistics.ts';

const ROUNDS = 20;
/** Not counted: what runs hot is what a server runs. */
const WARM_UP_ROUNDS = 10;
const LIMITS = { maxTextBytes: 64 * 1024 * 1024 };

/** Reads the same PDF documents by turns with the reader and with pdfium alone (its plain text), in this process. */
export async function comparePdfSpeed(paths: readonly string[]): Promise<void> {
  const library = await PDFiumLibrary.init();
  let pages = 0;
  const alone = async (path: string): Promise<void> => {
    const document = await library.loadDocument(await readFile(path));
    for (const page of document.pages()) {
      page.getText();
      pages += 1;
    }
    document.destroy();
  };
  const reader = async (path: string): Promise<void> => {
    await pdfReader.read({ path, mediaType: 'application/pdf', name: '' }, LIMITS);
  };
  const timesMs = { alone: [] as number[], reader: [] as number[] };
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    pages = 0;
    const { elapsedMs: aloneMs } = await timed(() => inTurn(paths, alone));
    const { elapsedMs: readerMs } = await timed(() => inTurn(paths, reader));
    if (round < WARM_UP_ROUNDS) continue;
    timesMs.alone.push(aloneMs);
    timesMs.reader.push(readerMs);
  }
  library.destroy();
  const perSecond = (times: number[]): number => (1000 * pages) / median(times);
  const [aloneRate, readerRate] = [perSecond(timesMs.alone), perSecond(timesMs.reader)];
  console.log(`PDF: ${readerRate.toFixed(0)} pages/s, pdfium alone ${aloneRate.toFixed(0)} (${pages} pages)`);
  console.log(verdict('pages a second, reader / pdfium alone', readerRate / aloneRate, { atLeast: 0.8 }));
}

async function inTurn(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  for (const path of paths) await work(path);
}
