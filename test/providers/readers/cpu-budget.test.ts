import test from 'ava';
import { cpuBudget } from '#providers/readers/cpu-budget.ts';
import { DOCX, EMAIL } from '#providers/readers/shared/media-types.ts';

const MIB = 1024 * 1024;
const LIMIT_MS = 300_000;

test('the processor time of a document follows its size, up to the time limit', (t) => {
  const html = cpuBudget({ mediaType: 'text/html' }, LIMIT_MS);
  t.is(html(0), 10_000);
  t.is(html(2 * MIB), 30_000);
  t.is(html(200 * MIB), LIMIT_MS);
  t.is(cpuBudget({ mediaType: EMAIL }, LIMIT_MS)(MIB), 20_000);
});

test('packed formats get more for each byte; PDFs and images, which may need OCR, get the time limit', (t) => {
  t.is(cpuBudget({ mediaType: DOCX }, LIMIT_MS)(MIB), 60_000);
  t.is(cpuBudget({ mediaType: 'application/pdf' }, LIMIT_MS)(1), LIMIT_MS);
  t.is(cpuBudget({ mediaType: 'image/png', reader: 'ocr' }, LIMIT_MS)(1), LIMIT_MS);
  t.is(cpuBudget({ mediaType: 'application/pdf', reader: 'unstructured' }, LIMIT_MS)(0), 10_000, 'a response');
});

test('the setting of the time limit scales the processor time', (t) => {
  t.is(cpuBudget({ mediaType: 'text/csv' }, 2 * LIMIT_MS)(MIB), 40_000);
  t.is(cpuBudget({ mediaType: 'text/csv' }, LIMIT_MS / 10)(0), 1_000);
});
