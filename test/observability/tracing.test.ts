import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { trace } from '@opentelemetry/api';
import test from 'ava';
import { z } from 'zod';
import { createLog } from '#observability/log.ts';
import { continueTrace, currentTrace, currentTraceParent } from '#observability/current-trace.ts';
import { openTracing } from '#observability/open-tracing.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { startOtlpCollector } from '#test/support/harness/otlp-collector.ts';

const OPTIONS = { service: 'loci-test', version: '1', internalUrls: [null] };
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

test.serial('without the variables of OpenTelemetry, nothing of its SDK is loaded', async (t) => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { openTracing } = await import('#observability/open-tracing.ts');
    for (const file of ['#api/app.ts', '#services/build-services.ts', '#workers/task-workers.ts']) await import(file);
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: ' ', OTEL_SERVICE_NAME: 'x' };
    const off = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const opened = [await openTracing({}, {}), await openTracing(settings, {}), await openTracing(off, {})];
    console.log(JSON.stringify({ loaded, opened }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: PROJECT_DIR,
    maxBuffer: 16 * 1024 * 1024,
  });
  const { loaded, opened } = z.object({ loaded: z.array(z.string()), opened: z.unknown() }).parse(JSON.parse(stdout));
  t.true(loaded.length > 500);
  t.deepEqual(
    loaded.filter((url) => /@opentelemetry\/(?!api\/)|interceptors-opentelemetry/.test(url)),
    [],
  );
  t.deepEqual(opened, [null, null, null]);
  t.is(currentTraceParent(), null);
});

test.serial('an unknown exporter is refused, with those that exist', async (t) => {
  await t.throwsAsync(openTracing({ OTEL_TRACES_EXPORTER: 'zipkin' }, OPTIONS), { message: /otlp, console or none/ });
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_EXPORTER_OTLP_PROTOCOL: 'carrier pigeon' };
  await t.throwsAsync(openTracing(environment, OPTIONS), { message: /http\/protobuf, http\/json or grpc/ });
});

test.serial(
  'spans are sent as protobuf, without paths, queries and secrets, and log lines have their ids',
  async (t) => {
    const collector = await startOtlpCollector(t);
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
    const tracing = await openTracing(process.env, OPTIONS);
    const lines: string[] = [];
    const log = createLog({ level: 'info', service: 'test', destination: { write: (line) => void lines.push(line) } });
    const tracer = trace.getTracer('test');
    continueTrace(PARENT, () =>
      tracer.startActiveSpan('heron', (span) => {
        span.setAttributes({ 'url.full': 'http://x/private-path?q=1', 'http.route': '/api/v1/kept' });
        span.recordException(new Error('refused: Bearer abcdefghijklmnop'));
        log.info('seen');
        t.is(currentTrace()?.trace_id, TRACE_ID);
        t.regex(currentTraceParent() ?? '', new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`));
        t.notRegex(currentTraceParent() ?? '', /b7ad6b7169203331/);
        span.end();
      }),
    );
    t.is(currentTrace(), null);
    log.info('outside');
    await tracing?.close();
    const [sent] = collector.others;
    t.is(sent?.type, 'application/x-protobuf');
    const text = sent?.body.toString('latin1') ?? '';
    for (const shown of ['heron', 'loci-test', '/api/v1/kept', 'refused: Bearer [sealed]'])
      t.true(text.includes(shown), shown);
    for (const hidden of ['private-path', 'abcdefghijklmnop']) t.false(text.includes(hidden), hidden);
    t.regex(lines[0] ?? '', new RegExp(`"trace_id":"${TRACE_ID}"`));
    t.notRegex(lines[1] ?? '', /trace_id/);
  },
);

test.serial('a trace continues by its traceparent alone: what else a client sends goes nowhere', (t) => {
  for (const parent of ['nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `${PARENT}-more`]) {
    continueTrace(parent, () => t.is(currentTraceParent(), null, parent));
  }
  continueTrace(PARENT, () => t.is(currentTraceParent(), PARENT));
  continueTrace(PARENT, () => continueTrace(null, () => t.is(currentTraceParent(), null)));
});
