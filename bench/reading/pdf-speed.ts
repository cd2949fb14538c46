/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { readFileSync } from 'node:fs';
import { PDFiumModule } from '@hyzyla/pdfium';
import { pdfReader } from '#providers/readers/pdf/pdf-reader.ts';
import type { Pdfium } from '#providers/readers/pdf/pdfium/pdfium.ts';
import { median, timed, formatVerdict } from '#bench/statistics.ts';

const ROUNDS = 40;
/** Not measured: a server runs with warm code. */
const WARM_UP_ROUNDS = 20;
const LIMITS = { maxTextBytes: 64 * 1024 * 1024 };

/** Reads the same PDF documents alternately with the reader and with pdfium alone (its plain text), in this process. */
export async function comparePdfSpeed(paths: readonly string[]): Promise<void> {
  const pdfium = (await PDFiumModule({})) as unknown as Pdfium;
  pdfium._FPDF_InitLibrary();
  const readable = paths.filter((path) => readPlainText(pdfium, path) !== null);
  let pages = 0;
  const readWithPdfium = async (): Promise<void> => {
    for (const path of readable) pages += readPlainText(pdfium, path)?.pageCount ?? 0;
  };
  const readWithReader = async (): Promise<void> => {
    for (const path of readable) await pdfReader.read({ path, mediaType: 'application/pdf', name: '' }, LIMITS);
  };
  const timesMs = { alone: [] as number[], reader: [] as number[] };
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    pages = 0;
    const { elapsedMs: aloneMs } = await timed(readWithPdfium);
    const { elapsedMs: readerMs } = await timed(readWithReader);
    if (round < WARM_UP_ROUNDS) continue;
    timesMs.alone.push(aloneMs);
    timesMs.reader.push(readerMs);
  }
  const perSecond = (times: number[]): number => (1000 * pages) / median(times);
  const [aloneRate, readerRate] = [perSecond(timesMs.alone), perSecond(timesMs.reader)];
  console.log(`PDF: ${readerRate.toFixed(0)} pages/s, pdfium alone ${aloneRate.toFixed(0)} (${pages} pages)`);
  console.log(formatVerdict('pages a second, reader / pdfium alone', readerRate / aloneRate, { atLeast: 0.8 }));
}

/** The plain text of pdfium itself. Closes all handles, because open pages slow it down. */
function readPlainText(pdfium: Pdfium, path: string): { pageCount: number; text: string } | null {
  const bytes = readFileSync(path);
  const data = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  const pageCount = document === 0 ? 0 : pdfium._FPDF_GetPageCount(document);
  let text = '';
  for (let index = 0; index < pageCount; index += 1) {
    const page = pdfium._FPDF_LoadPage(document, index);
    const textPage = pdfium._FPDFText_LoadPage(page);
    const count = pdfium._FPDFText_CountChars(textPage);
    const buffer = pdfium._malloc((count + 1) * 2);
    const written = pdfium._FPDFText_GetText(textPage, 0, count, buffer);
    text += Buffer.from(pdfium.HEAPU8.buffer, buffer, written * 2).toString('utf16le');
    pdfium._free(buffer);
    pdfium._FPDFText_ClosePage(textPage);
    pdfium._FPDF_ClosePage(page);
  }
  if (document !== 0) pdfium._FPDF_CloseDocument(document);
  pdfium._free(data);
  return document === 0 ? null : { pageCount, text };
}
