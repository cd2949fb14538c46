import { createRequire } from 'node:module';
import { createTraceState } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { SerializableSpan } from '@temporalio/interceptors-opentelemetry/lib/workflow/definitions.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { Tracing } from '../tracing.ts';

const WORKFLOW_MODULE = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors.js';

/**
 * Passes traces through Temporal: from a client to the workflow that it starts, to child workflows, to activities. Workflows
 * stay deterministic: the interceptors of the SDK add headers, no commands.
 */
export function temporalTracing(processor: SpanProcessor, resource: Resource): Omit<Tracing, 'close'> {
  return {
    clientInterceptors: [withoutDescriptions(new OpenTelemetryWorkflowClientInterceptor())],
    workerInterceptors: {
      activity: [(context) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(context) })],
    },
    sinks: {
      exporter: {
        export: {
          fn: (info: WorkflowInfo, spans: SerializableSpan[]) => {
            for (const span of spans) processor.onEnd(toReadableSpan(span, info, resource));
          },
        },
      },
    },
    workflowModules: tracedWorkflowModules(),
  };
}

/** The modules that are bundled with traced workflows. */
export function tracedWorkflowModules(): string[] {
  return [createRequire(import.meta.url).resolve(WORKFLOW_MODULE)];
}

/** The loops describe every workflow again and again, which is no part of a trace. */
function withoutDescriptions(interceptor: OpenTelemetryWorkflowClientInterceptor): WorkflowClientInterceptor {
  return {
    start: (input, next) => interceptor.start(input, next),
    startWithDetails: (input, next) => interceptor.startWithDetails(input, next),
    signal: (input, next) => interceptor.signal(input, next),
  };
}

/** The interceptors use the SDK of OpenTelemetry 1, whose spans have other fields. Of the workflow, only its ids are added. */
function toReadableSpan(span: SerializableSpan, info: WorkflowInfo, resource: Resource): ReadableSpan {
  const { spanContext, parentSpanId, instrumentationLibrary, ...same } = span;
  const { traceState, ...ids } = spanContext;
  const own = { ...ids, ...(traceState === undefined ? {} : { traceState: createTraceState(traceState) }) };
  return {
    ...same,
    attributes: { ...span.attributes, temporalWorkflowId: info.workflowId, run_id: info.runId },
    spanContext: () => own,
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { ...own, spanId: parentSpanId } }),
    instrumentationScope: instrumentationLibrary,
    resource,
  };
}
