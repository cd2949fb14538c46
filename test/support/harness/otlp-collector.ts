import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';

const Attributes = z
  .array(z.object({ key: z.string(), value: z.looseObject({ stringValue: z.string().optional() }) }))
  .default([]);
const Sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(
        z.object({
          scope: z.object({ name: z.string() }),
          spans: z.array(
            z.looseObject({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

export type CollectedSpan = {
  service: string;
  scope: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  /** Milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: ReadonlyMap<string, string | undefined>;
};

/** A server that receives traces over OTLP/HTTP, as the collector of OpenTelemetry does. */
export type OtlpCollector = {
  url: string;
  /** Spans that came as JSON. */
  spans: CollectedSpan[];
  /** Requests with another body. */
  others: { type: string; body: Buffer }[];
};

/** Starts a collector; it ends with the test. */
export async function startOtlpCollector(t: Pick<ExecutionContext, 'teardown'>): Promise<OtlpCollector> {
  const collector: OtlpCollector = { url: '', spans: [], others: [] };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const sent = Buffer.concat(parts);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const type = request.headers['content-type'] ?? '';
      if (request.url !== '/v1/traces') response.statusCode = 404;
      else if (type === 'application/json') collector.spans.push(...spansOf(JSON.parse(body.toString())));
      else collector.others.push({ type, body });
      response.setHeader('content-type', type).end(type === 'application/json' ? '{}' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  collector.url = `http://127.0.0.1:${port}`;
  return collector;
}

function spansOf(body: unknown): CollectedSpan[] {
  return Sent.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, attributes }) => ({
        service: attributeMap(resource.attributes).get('service.name') ?? '',
        scope: scope.name,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId === undefined || parentSpanId === '' ? null : parentSpanId,
        startMs: toMs(startTimeUnixNano),
        endMs: toMs(endTimeUnixNano),
        attributes: attributeMap(attributes),
      })),
    ),
  );
}

function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}

function attributeMap(attributes: z.output<typeof Attributes>): Map<string, string | undefined> {
  return new Map(attributes.map(({ key, value }) => [key, value.stringValue]));
}
