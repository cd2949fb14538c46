import type { Pdfium } from './pdfium.ts';

/** Text in pdfium's memory. */
export function utf16(pdfium: Pdfium, pointer: number, sizeBytes: number): string {
  return Buffer.from(pdfium.HEAPU8.buffer, pointer, sizeBytes).toString('utf16le');
}
