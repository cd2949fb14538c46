/**
 * `npm run picture:trace`: uploads one text to a temporary stack that sends its traces to a collector, and draws the trace of the upload
 * as the documentation shows it.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UploadResponse } from '#domain/records/upload.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { until } from '#test/support/harness/eventually.ts';
import { startOtlpCollector, type CollectedSpan } from '#test/support/harness/otlp-collector.ts';
import { PICTURE_DOCUMENTS } from './picture-documents.ts';
import { type TracedRow, traceHtml } from './trace-html.ts';
import { withPictureStack } from './with-picture-stack.ts';

const IMAGES_DIR = join(PROJECT_DIR, 'docs', 'images');
const WIDTH = 1_280;
/** The span that is exported last: it ends with the workflow. */
const LAST = 'RunWorkflow:ingestUploadV2';
const EXPORT_EVERY_MS = '200';

const closing = new DisposableStack();
const collector = await startOtlpCollector({ teardown: (close) => closing.defer(() => void close()) });
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
process.env['OTEL_BSP_SCHEDULE_DELAY'] = EXPORT_EVERY_MS;

await withPictureStack(async (stack, first) => {
  const upload = async () => {
    const traceId = randomBytes(16).toString('hex');
    const body = new FormData();
    body.set('collection_id', first.collection_id);
    body.set('content', `${PICTURE_DOCUMENTS[0]?.[1]} ${traceId}`);
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const headers = { 'X-API-Key': first.api_key, traceparent };
    const url = `http://127.0.0.1:${stack.ports.api}/api/v1/upload`;
    const response = await fetch(url, { method: 'POST', headers, body });
    UploadResponse.parse(await response.json());
    return until(
      async () => collector.spans.filter((span) => span.traceId === traceId),
      (spans) => [LAST, 'POST /api/v1/upload'].every((name) => spans.some((span) => span.name === name)),
    );
  };
  // The first upload of a process loads the model and compiles code.
  await upload();
  const rows = rowsOf(await upload());
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 400 }, deviceScaleFactor: 1 });
    await page.setContent(traceHtml(rows));
    mkdirSync(IMAGES_DIR, { recursive: true });
    await page.screenshot({ path: join(IMAGES_DIR, 'trace.png'), fullPage: true });
  } finally {
    await browser.close();
  }
});
closing.dispose();

/** The spans in the order of their parents, and those of one parent by their beginning. */
function rowsOf(spans: readonly CollectedSpan[]): TracedRow[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId));
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
  const below = (span: CollectedSpan, depth: number): TracedRow[] => [
    { ...span, depth },
    ...byStart(children.get(span.spanId) ?? []).flatMap((child) => below(child, depth + 1)),
  ];
  return byStart(roots).flatMap((root) => below(root, 0));
}

function byStart(spans: readonly CollectedSpan[]): CollectedSpan[] {
  return spans.toSorted((one, other) => one.startMs - other.startMs);
}
