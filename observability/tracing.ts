import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { OpenTelemetrySinks } from '@temporalio/interceptors-opentelemetry/lib/workflow/definitions.js';
import type { InjectedSinks, WorkerInterceptors } from '@temporalio/worker';

/** Tracing of a process, and what passes it on to Temporal. */
export type Tracing = {
  /** Pass the trace of the caller to the workflows that a client starts. */
  clientInterceptors: readonly WorkflowClientInterceptor[];
  /** Of all workers: continue the trace of a workflow in its activities. */
  workerInterceptors: WorkerInterceptors;
  /** Receive the spans of workflows. */
  sinks: InjectedSinks<OpenTelemetrySinks>;
  /** Modules to bundle with the workflows. */
  workflowModules: readonly string[];
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
};

export type TracingOptions = {
  /** Name of the process, unless `OTEL_SERVICE_NAME` gives another: `loci-api` or `loci-worker`. */
  service: string;
  version: string;
  /** Servers of the installation. Requests to other addresses, which users give, have no spans and no header. */
  internalUrls: readonly (string | null)[];
};
