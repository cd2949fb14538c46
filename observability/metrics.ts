import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What the processes measure. Durations are given in milliseconds and published in seconds, as Prometheus names ask. */
export type Metrics = {
  /** Media type of `render`. */
  readonly contentType: string;
  /** Everything in the Prometheus text format. */
  render(): Promise<string>;
  /** One answered request; `route` is the pattern (`/contents/:id`), never the path. */
  observeRequest(request: { method: string; route: string; status: number }, durationMs: number): void;
  /** One content that came to its end; `outcome` is `ready`, `failed`, `cancelled` …, `code` the error code or empty. */
  countContent(outcome: string, code?: string): void;
  countChunks(count: number): void;
  /** One step of an ingestion: `download`, `read`, `split`, `index`, `publish`. */
  observeStage(stage: string, durationMs: number): void;
  /** `outcome` is `ok` or an error code. */
  observeSearch(search: { type: string; outcome: string }, durationMs: number): void;
  /** One token request to a provider of OAuth; `outcome` is `tokens`, `expired`, `error` or `unavailable`. */
  countRefresh(outcome: string): void;
  setOutboxBacklog(rows: number, oldestAgeMs: number): void;
  /** One attempt; `outcome` is `delivered`, `retrying` or `failed`, `statusCode` of the answer, null without one. */
  countWebhookAttempt(outcome: string, statusCode: number | null): void;
};

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STAGE_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

/** Makes the metrics of a process in a registry of their own, with those of Node itself. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    ...requestMetrics(registry),
    ...ingestionMetrics(registry),
    ...searchMetrics(registry),
    ...refreshMetrics(registry),
    ...outboxMetrics(registry),
    ...webhookMetrics(registry),
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'observeRequest'> {
  const seconds = new Histogram({
    name: 'loci_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
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
    help: 'Contents that came to their end, by outcome and error code.',
    labelNames: ['outcome', 'code'],
    registers,
  });
  const chunks = new Counter({ name: 'loci_ingested_chunks_total', help: 'Chunks written to the index.', registers });
  const stages = new Histogram({
    name: 'loci_ingestion_stage_duration_seconds',
    help: 'Time one step of an ingestion took.',
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

function searchMetrics(registry: Registry): Pick<Metrics, 'observeSearch'> {
  const seconds = new Histogram({
    name: 'loci_search_duration_seconds',
    help: 'Time a search took, embedding of the query and verification of the hits included.',
    labelNames: ['type', 'outcome'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  return { observeSearch: (search, durationMs) => seconds.observe({ ...search }, durationMs / 1000) };
}

function refreshMetrics(registry: Registry): Pick<Metrics, 'countRefresh'> {
  const requests = new Counter({
    name: 'loci_oauth_refreshes_total',
    help: 'Token requests to providers of OAuth, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { countRefresh: (outcome) => requests.inc({ outcome }) };
}

function outboxMetrics(registry: Registry): Pick<Metrics, 'setOutboxBacklog'> {
  const registers = [registry];
  const backlog = new Gauge({
    name: 'loci_outbox_backlog',
    help: 'Acknowledged background work whose workflow is not started yet.',
    registers,
  });
  const age = new Gauge({
    name: 'loci_outbox_oldest_age_seconds',
    help: 'Age of the oldest row of that backlog; 0 when there is none.',
    registers,
  });
  return {
    setOutboxBacklog(rows, oldestAgeMs) {
      backlog.set(rows);
      age.set(oldestAgeMs / 1000);
    },
  };
}

function webhookMetrics(registry: Registry): Pick<Metrics, 'countWebhookAttempt'> {
  const attempts = new Counter({
    name: 'loci_webhook_attempts_total',
    help: 'Attempts to deliver webhooks, by what became of the delivery and the class of the answer (2xx …, none).',
    labelNames: ['outcome', 'answer'],
    registers: [registry],
  });
  return {
    countWebhookAttempt: (outcome, statusCode) =>
      attempts.inc({ outcome, answer: statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx` }),
  };
}
