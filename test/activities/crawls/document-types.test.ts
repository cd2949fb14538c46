import type { ServerResponse } from 'node:http';
import { utils, write } from '@e965/xlsx';
import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';

const PDF = 'application/pdf';
const XLS = 'application/vnd.ms-excel';
const XLSB = 'application/vnd.ms-excel.sheet.binary.macroenabled.12';
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function workbook(bookType: 'biff8' | 'xlsb'): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Item', 'Price']]), 'Prices');
  return Buffer.from(write(book, { type: 'buffer', bookType }));
}

/** Path, declared type, body, and the type as which it is taken; null: it is skipped. */
const ANSWERS: readonly (readonly [path: string, declared: string, body: Buffer | string, taken: string | null])[] = [
  ['/prices.xls', XLS, workbook('biff8'), XLS],
  ['/unknown.xls', 'application/octet-stream', workbook('biff8'), XLS],
  ['/prices.xlsb', 'application/vnd.ms-excel.sheet.binary.macroEnabled.12', workbook('xlsb'), XLSB],
  ['/macros.docm', 'application/vnd.ms-word.document.macroEnabled.12', pdf, PDF],
  ['/saved.pdf', 'application/force-download', pdf, PDF],
  ['/bucket.pdf', 'binary/octet-stream', pdf, PDF],
  ['/old.pdf', 'Application/X-PDF; name=old.pdf', pdf, PDF],
  ['/notes.md', 'text/x-markdown', '# Notes\n\nSome *words*.\n', 'text/markdown'],
  ['/picture', 'binary/octet-stream', png, null],
  ['/bytes', 'application/octet-stream', Buffer.from([0, 1, 2, 3, 255, 254]), null],
  ['/prices.json', 'application/json', '{"price": 1}', null],
];

test('documents are accepted under every content type that servers use for them, and by their bytes when the content type is generic', async (t) => {
  const traps = ANSWERS.map(([path, declared, body]) => [
    path,
    (response: ServerResponse) => void response.writeHead(200, { 'content-type': declared }).end(body),
  ]);
  const server = await startTrapServer(t, Object.fromEntries(traps));
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const workspaceId = await services.stores.system.insertWorkspace('a test');
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000, maxPageBytes: 1_000_000 };
  // Documents that are no HTML pages use no other service of a worker.
  const worker = {
    ...services,
    egress: egressToTraps(),
    crawling,
    downloads: { maxBytes: 1_000_000 },
  } as unknown as WorkerServices;
  for (const [path, , , taken] of ANSWERS) {
    const request = {
      crawl: { workspace_id: workspaceId, origin: server.origin, robots: '', page_options: { reader: 'native' } },
      page: { kind: 'page', url: `${server.origin}${path}`, is_start: false },
      known: null,
      signal: new AbortController().signal,
    } as unknown as PageRequest;
    const outcome = await fetchPage(worker, request);
    t.is(outcome.kind, taken === null ? 'skipped' : 'document', path);
    if (outcome.kind === 'document') t.is(outcome.type, taken ?? '', path);
    if (outcome.kind === 'skipped') t.is(outcome.reason, 'type', path);
  }
});
