import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import type { Tracing, TracingOptions } from '../tracing.ts';
import { createSpanProcessor } from './span-processor.ts';
import { temporalTracing } from './temporal-tracing.ts';
import { TraceParentPropagator } from './trace-parent-propagator.ts';

/** At shutdown, a collector that does not answer is given up after this long. */
const CLOSE_MS = 3_000;
/** Probes come every few seconds and say nothing. */
const PROBES = /^\/(livez|readyz|metrics)(\?|$)/;

/**
 * Starts the SDK of OpenTelemetry, which reads the standard variables: exporter, sampler, limits, name and attributes of the
 * process. Traces only; metrics are served at `/metrics`.
 */
export function startTracing(environment: NodeJS.ProcessEnv, options: TracingOptions): Tracing {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': options.service, 'service.version': options.version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const processor = createSpanProcessor(environment);
  const sdk = startNodeSdk({
    baseResource: resource,
    resourceDetectors: [],
    resourceAttributes: resource.attributes,
    spanProcessors: [processor],
    propagators: [new TraceParentPropagator()],
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: instrumentations(options.internalUrls),
    logLevel: environment['OTEL_LOG_LEVEL'] ?? 'warn',
  });
  // Modules are patched when they are required the next time.
  createRequire(import.meta.url)('node:http');
  return {
    ...temporalTracing(processor, resource),
    close: async () => Promise.race([sdk.shutdown(), delay(CLOSE_MS, undefined, { ref: false })]),
  };
}

/** Spans of incoming requests, and within a trace those of statements and of requests to servers of the installation. */
function instrumentations(internalUrls: TracingOptions['internalUrls']) {
  const internal = new Set(internalUrls.flatMap((url) => (url === null ? [] : [new URL(url).origin])));
  return [
    new HttpInstrumentation({
      disableOutgoingRequestInstrumentation: true,
      ignoreIncomingRequestHook: ({ url }) => PROBES.test(url ?? ''),
    }),
    new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    new UndiciInstrumentation({
      requireParentforSpans: true,
      ignoreRequestHook: ({ origin }) => !internal.has(origin),
    }),
  ];
}
