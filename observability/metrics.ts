import { Counter, Gauge, type GaugeConfiguration, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { QueueBacklog } from '#domain/task-queues.ts';
import { queueMetrics } from './queue-metrics.ts';
import type { EmbeddingObserver } from '#domain/embedder.ts';
import { embeddingMetrics } from './embedding-metrics.ts';
import { tenantMetrics, type TenantMetrics } from './tenant-metrics.ts';
import { toolMetrics, type ToolMetrics } from './tool-metrics.ts';

/** Metrics of a process. Durations are passed in milliseconds and published in seconds, as Prometheus recommends. */
export type Metrics = ToolMetrics &
  TenantMetrics &
  EmbeddingObserver & {
    /** Media type of `render`. */
    readonly contentType: string;
    /** Returns all metrics in the Prometheus text format. */
    render(): Promise<string>;
    /** Records a request; `route` is the pattern (`/contents/{content_id}`), never the path. */
    observeRequest(request: { method: string; route: string; status: number }, durationMs: number): void;
    /** Counts a finished content; `outcome` is `ready`, `failed`, `cancelled` …, `code` the error code or empty. */
    countContent(outcome: string, code?: string): void;
    countChunks(count: number): void;
    /** Records a stage of an ingestion: `download`, `read`, `split`, `index` or `publish`. */
    observeStage(stage: string, durationMs: number): void;
    /** `outcome` is `ok` or an error code. */
    observeSearch(search: { type: string; outcome: string }, durationMs: number): void;
    /** Records the reranking of one search; `outcome` is `ok` or the reason why its hits were not reranked. */
    observeRerank(outcome: string, durationMs: number): void;
    /** Counts a token request to an OAuth provider; `outcome` is `tokens`, `expired`, `error` or `unavailable`. */
    countRefresh(outcome: string): void;
    setOutboxBacklog(rows: number, oldestAgeMs: number): void;
    /** Changes that wait to be added to the counts of contents, and the size of their table. */
    setCountBacklog(backlog: { changes: number; bytes: number }): void;
    /** What waits in each task queue, replacing what was known before. None: it could not be measured. */
    setQueueBacklogs(backlogs: readonly QueueBacklog[]): void;
    /** Counts an attempt; `outcome` is `delivered`, `retrying` or `failed`; `statusCode` is null without a response. */
    countWebhookAttempt(outcome: string, statusCode: number | null): void;
    /** Counts deliveries that ended without being delivered; `reason` is `deleted`, `disabled`, `gone`, `max_age` or `outage`. */
    countEndedDeliveries(reason: string, count: number): void;
    setWebhookBacklog(backlog: { failingReceivers: number; waitingDeliveries: number }): void;
  };

type WebhookMetric = 'countWebhookAttempt' | 'countEndedDeliveries' | 'setWebhookBacklog';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STAGE_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

/** Creates the metrics of a process in their own registry, together with the default metrics of Node. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    ...requestMetrics(registry),
    ...toolMetrics(registry),
    ...embeddingMetrics(registry),
    ...ingestionMetrics(registry),
    ...searchMetrics(registry),
    ...refreshMetrics(registry),
    ...outboxMetrics(registry),
    ...countMetrics(registry),
    ...queueMetrics(registry),
    ...webhookMetrics(registry),
    ...tenantMetrics(registry),
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'observeRequest'> {
  const seconds = new Histogram({
    name: 'loci_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  return { observeRequest: (request, durationMs) => seconds.observe({ ...request }, durationMs / 1000) };
}

function ingestionMetrics(registry: Registry): Pick<Metrics, 'countContent' | 'countChunks' | 'observeStage'> {
  const registers = [registry];
  const contents = new Counter({
    name: 'loci_ingested_contents_total',
    help: 'Finished contents, by outcome and error code.',
    labelNames: ['outcome', 'code'],
    registers,
  });
  for (const code of ['internal', 'repeated_crash']) fromZero(contents, { outcome: 'failed', code });
  const chunks = new Counter({ name: 'loci_ingested_chunks_total', help: 'Chunks written to the index.', registers });
  const stages = new Histogram({
    name: 'loci_ingestion_stage_duration_seconds',
    help: 'Duration of one stage of an ingestion.',
    labelNames: ['stage'],
    buckets: STAGE_SECONDS,
    registers,
  });
  return {
    countContent: (outcome, code = '') => contents.inc({ outcome, code }),
    countChunks: (count) => chunks.inc(count),
    observeStage: (stage, durationMs) => stages.observe({ stage }, durationMs / 1000),
  };
}

function searchMetrics(registry: Registry): Pick<Metrics, 'observeSearch' | 'observeRerank'> {
  const seconds = new Histogram({
    name: 'loci_search_duration_seconds',
    help: 'Duration of a search, including the embedding of the query and the verification of the hits.',
    labelNames: ['type', 'outcome'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  const rerankSeconds = new Histogram({
    name: 'loci_rerank_duration_seconds',
    help: 'Duration of the reranking of a search, by outcome: ok, or the reason why the order of the search stayed.',
    labelNames: ['outcome'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  return {
    observeSearch: (search, durationMs) => seconds.observe({ ...search }, durationMs / 1000),
    observeRerank: (outcome, durationMs) => rerankSeconds.observe({ outcome }, durationMs / 1000),
  };
}

function refreshMetrics(registry: Registry): Pick<Metrics, 'countRefresh'> {
  const requests = new Counter({
    name: 'loci_oauth_refreshes_total',
    help: 'Token requests to OAuth providers, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  fromZero(requests, { outcome: 'error' });
  return { countRefresh: (outcome) => requests.inc({ outcome }) };
}

/**
 * Publishes a series before its first event. Otherwise it would begin with 1, which Prometheus does not take for an increase, and an
 * alert on the event would not fire for the first one of a process.
 */
function fromZero<Label extends string>(counter: Counter<Label>, labels: Record<Label, string>): void {
  counter.inc(labels, 0);
}

function countMetrics(registry: Registry): Pick<Metrics, 'setCountBacklog'> {
  const registers = [registry];
  const changes = measuredGauge({
    name: 'loci_count_changes_waiting',
    help: 'Changes that wait to be added to the counts of contents; at most 100000 are counted.',
    registers,
  });
  const bytes = measuredGauge({
    name: 'loci_count_changes_bytes',
    help: 'Size of the table of these changes, including removed rows that an open transaction may still see.',
    registers,
  });
  return {
    setCountBacklog(backlog) {
      changes.set(backlog.changes);
      bytes.set(backlog.bytes);
    },
  };
}

/** A gauge without a value until its first measurement: prom-client begins with 0, which a process that never measures would report. */
function measuredGauge(options: GaugeConfiguration<never>): Gauge<never> {
  const gauge = new Gauge(options);
  gauge.remove();
  return gauge;
}

function outboxMetrics(registry: Registry): Pick<Metrics, 'setOutboxBacklog'> {
  const registers = [registry];
  const backlog = measuredGauge({
    name: 'loci_outbox_backlog',
    help: 'Accepted background work whose workflow has not started yet.',
    registers,
  });
  const age = measuredGauge({
    name: 'loci_outbox_oldest_age_seconds',
    help: 'Age of the oldest row in the outbox backlog; 0 when it is empty.',
    registers,
  });
  return {
    setOutboxBacklog(rows, oldestAgeMs) {
      backlog.set(rows);
      age.set(oldestAgeMs / 1000);
    },
  };
}

function webhookMetrics(registry: Registry): Pick<Metrics, WebhookMetric> {
  const registers = [registry];
  const attempts = new Counter({
    name: 'loci_webhook_attempts_total',
    help: 'Attempts to deliver webhooks, by outcome and by the status class of the response (2xx …, none).',
    labelNames: ['outcome', 'answer'],
    registers,
  });
  const ended = new Counter({
    name: 'loci_webhook_deliveries_ended_total',
    help: 'Webhook deliveries that ended while they waited, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const failing = measuredGauge({
    name: 'loci_webhook_failing_receivers',
    help: 'Webhook receivers that are broken, so that one delivery at a time is tried.',
    registers,
  });
  const waiting = measuredGauge({
    name: 'loci_webhook_waiting_deliveries',
    help: 'Webhook deliveries that are neither delivered nor given up; at most 100000 are counted.',
    registers,
  });
  return {
    countWebhookAttempt: (outcome, statusCode) =>
      attempts.inc({ outcome, answer: statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx` }),
    countEndedDeliveries: (reason, count) => ended.inc({ reason }, count),
    setWebhookBacklog({ failingReceivers, waitingDeliveries }) {
      failing.set(failingReceivers);
      waiting.set(waitingDeliveries);
    },
  };
}
