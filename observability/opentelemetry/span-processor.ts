import type { Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { redactSecrets } from '../redact-secrets.ts';

/** Paths and queries contain ids and whatever clients type by mistake; the pattern of the route is in `http.route`. */
const PRIVATE_ATTRIBUTES = ['url.full', 'url.path', 'url.query', 'http.url', 'http.target'];

/**
 * Creates the processor of all spans: it sends them in batches, in the background, and drops those that do not fit into its
 * queue. Like the log, it tells no paths, no queries and no secrets.
 */
export function createSpanProcessor(environment: NodeJS.ProcessEnv): SpanProcessor {
  const batches = new BatchSpanProcessor({
    exporter: createExporter(environment),
    ...numbers({
      maxQueueSize: environment['OTEL_BSP_MAX_QUEUE_SIZE'],
      scheduledDelayMillis: environment['OTEL_BSP_SCHEDULE_DELAY'],
      exportTimeoutMillis: environment['OTEL_BSP_EXPORT_TIMEOUT'],
      maxExportBatchSize: environment['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'],
    }),
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: (span) => batches.onEnd(withoutPrivateData(span)),
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Keeps the settings that are positive numbers. */
function numbers(settings: Readonly<Record<string, string | undefined>>): Record<string, number> {
  const pairs = Object.entries(settings).map(([name, text]) => [name, Number(text?.trim() ?? '')] as const);
  return Object.fromEntries(pairs.filter(([, value]) => Number.isInteger(value) && value > 0));
}

/** The exporters read address, headers, certificates, compression and timeout from the variables themselves. */
function createExporter(environment: NodeJS.ProcessEnv): SpanExporter {
  const kind = environment['OTEL_TRACES_EXPORTER']?.trim() || 'otlp';
  if (kind === 'console') return new ConsoleSpanExporter();
  if (kind !== 'otlp') throw new Error(`OTEL_TRACES_EXPORTER is ${kind}. Use otlp, console or none.`);
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']?.trim() ||
    environment['OTEL_EXPORTER_OTLP_PROTOCOL']?.trim() ||
    'http/protobuf';
  if (protocol === 'grpc') return new GrpcExporter();
  if (protocol === 'http/json') return new JsonExporter();
  if (protocol === 'http/protobuf') return new ProtobufExporter();
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}. Use http/protobuf, http/json or grpc.`);
}

/** Returns the span as it is sent. The span itself may still be read by what has created it. */
function withoutPrivateData(span: ReadableSpan): ReadableSpan {
  const shown = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => !PRIVATE_ATTRIBUTES.includes(name)),
  );
  const events = span.events.map((event) => ({ ...event, attributes: redacted(event.attributes ?? {}) }));
  const { code, message } = span.status;
  const status = message === undefined ? { code } : { code, message: redactSecrets(message) };
  return Object.create(span, {
    attributes: { value: shown, enumerable: true },
    events: { value: events, enumerable: true },
    status: { value: status, enumerable: true },
  });
}

function redacted(attributes: Attributes): Attributes {
  const pairs = Object.entries(attributes);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, typeof value === 'string' ? redactSecrets(value) : value]),
  );
}
