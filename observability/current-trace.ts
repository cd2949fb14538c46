import {
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api';

/** Identifies the span that the current code runs in. */
export type TraceIds = { trace_id: string; span_id: string };

const HEADER = 'traceparent';

/** Returns the ids of the current span; null where nothing is traced. */
export function currentTrace(): TraceIds | null {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? null : { trace_id: span.traceId, span_id: span.spanId };
}

/** Names the span of the request that is being served, by the pattern of its route and, where it calls one, by its tool. */
export function nameRequestSpan({ method, route, tool }: { method: string; route: string; tool?: string }): void {
  const name = `${method} ${route}${tool === undefined ? '' : ` ${tool}`}`;
  trace.getActiveSpan()?.setAttribute('http.route', route).updateName(name);
}

/** Returns the current span as a W3C `traceparent`, with which another process continues the trace; null without one. */
export function currentTraceParent(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier, defaultTextMapSetter);
  return carrier[HEADER] ?? null;
}

/** Runs work as part of the trace of a `traceparent`; outside of any other trace if that is null. */
export function continueTrace<Result>(traceParent: string | null, work: () => Result): Result {
  const carrier = traceParent === null ? {} : { [HEADER]: traceParent };
  return context.with(propagation.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter), work);
}
