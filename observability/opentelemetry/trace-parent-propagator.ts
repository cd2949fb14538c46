import { type Context, defaultTextMapGetter, type TextMapGetter } from '@opentelemetry/api';
import { TRACE_PARENT_HEADER, W3CTraceContextPropagator } from '@opentelemetry/core';

/**
 * Continues a trace by its `traceparent` alone. `tracestate` and `baggage` are texts of the client, which would get into the
 * outbox and into Temporal's histories.
 */
export class TraceParentPropagator extends W3CTraceContextPropagator {
  override extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const header = getter.get(carrier, TRACE_PARENT_HEADER);
    return super.extract(context, { [TRACE_PARENT_HEADER]: header }, defaultTextMapGetter);
  }
}
