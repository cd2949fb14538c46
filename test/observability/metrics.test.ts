import test from 'ava';
import { createMetrics } from '#observability/metrics.ts';

test('reports measurements with their labels, durations in seconds', async (t) => {
  const metrics = createMetrics();
  metrics.observeRequest({ method: 'POST', route: '/collections/search', status: 200 }, 250);
  metrics.countContent('ready');
  metrics.countContent('failed', 'unreadable');
  metrics.countContent('failed', 'unreadable');
  metrics.countChunks(40);
  metrics.observeStage('read', 1_500);
  metrics.observeSearch({ type: 'hybrid', outcome: 'ok' }, 20);
  const call = { embedder: 'tei', purpose: 'document', outcome: 'ok' } as const;
  metrics.observeEmbedding(call, { texts: 40, durationMs: 500 });
  metrics.setLoadedModels(2);
  metrics.setOutboxBacklog(7, 90_000);
  metrics.setCountBacklog({ changes: 3, bytes: 8192 });
  const lines = (await metrics.render()).split('\n');
  for (const line of [
    'loci_http_request_duration_seconds_sum{method="POST",route="/collections/search",status="200"} 0.25',
    'loci_http_request_duration_seconds_bucket{le="0.25",method="POST",route="/collections/search",status="200"} 1',
    'loci_ingested_contents_total{outcome="ready",code=""} 1',
    'loci_ingested_contents_total{outcome="failed",code="unreadable"} 2',
    'loci_ingested_chunks_total 40',
    'loci_ingestion_stage_duration_seconds_sum{stage="read"} 1.5',
    'loci_search_duration_seconds_count{type="hybrid",outcome="ok"} 1',
    'loci_embedding_duration_seconds_sum{embedder="tei",purpose="document",outcome="ok"} 0.5',
    'loci_embedded_texts_total{embedder="tei",purpose="document",outcome="ok"} 40',
    'loci_embedding_models_loaded 2',
    'loci_outbox_backlog 7',
    'loci_outbox_oldest_age_seconds 90',
    'loci_count_changes_waiting 3',
    'loci_count_changes_bytes 8192',
  ]) {
    t.true(lines.includes(line), line);
  }
  t.regex(metrics.contentType, /^text\/plain/);
});

test('what a process has never measured has no value, instead of 0', async (t) => {
  const metrics = createMetrics();
  const measured = /^loci_(outbox|webhook_(failing|waiting))_.*\d$/gm;
  t.deepEqual((await metrics.render()).match(measured), null);
  metrics.setOutboxBacklog(0, 0);
  metrics.setWebhookBacklog({ failingReceivers: 0, waitingDeliveries: 0 });
  t.is((await metrics.render()).match(measured)?.length, 4);
});

test('includes the metrics of Node, and keeps two registries apart', async (t) => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.countChunks(1);
  t.true((await one.render()).includes('\nnodejs_eventloop_lag_seconds '));
  t.true((await other.render()).includes('\nloci_ingested_chunks_total 0\n'));
});
