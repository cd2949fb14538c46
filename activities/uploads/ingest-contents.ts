import pLimit from 'p-limit';
import { collectionScope } from '#domain/access/scope.ts';
import type { IngestOutcome } from '#domain/uploads/batch-outcome.ts';
import { mayHoldEntries } from '#activities/archives/entry-count.ts';
import { runContentsOf } from '#activities/step.ts';
import type { RunWork } from '#store/uploads/run-work.ts';
import { enterAttempt } from './enter-attempt.ts';
import { claimContents } from './claim-contents.ts';
import { createIndexQueue } from './index-queue.ts';
import type { IngestStages } from './ingest-stages.ts';
import type { Ingestion } from './ingestion.ts';
import { createPublisher } from './publish-contents.ts';
import { readContents } from './read-contents.ts';

/** Groups of documents that are read at the same time: enough to keep the reader processes of a machine busy. */
const READ_CONCURRENCY = 3;
/** A group of documents shares its statements. Larger documents and archives are groups of their own. */
const MAX_GROUP = { contents: 50, bytes: 512 * 1024 };

/**
 * Ingests contents until all have ended or the time slice is over. Each content passes through the stages by itself, so that a slow
 * one holds up no other. Contents that were in progress when a worker died are processed alone, after all others, so that the one
 * that kills workers is found.
 * @throws errors of the infrastructure; what was finished before stays finished.
 */
export async function ingestContents(ingestion: Ingestion): Promise<IngestOutcome> {
  const { services, batch, pace, step } = ingestion;
  const { runs, publications } = services.stores;
  const scope = collectionScope(batch);
  using atWork = new DisposableStack();
  atWork.use(enterAttempt(batch));
  const claimed = new Set<string>();
  try {
    const work = (await runs.listWork(scope, runContentsOf(batch))).filter((content) => !content.paused);
    const [suspects, others] = [work.filter(isSuspect), work.filter((content) => !isSuspect(content))];
    const outcomes = [await ingestTogether(ingestion, others, claimed)];
    for (const content of suspects) {
      if (outcomes.length > 1 && pace.timeSlice.isOver()) break;
      outcomes.push(await ingestTogether(ingestion, [content], claimed));
    }
    // An earlier attempt may have died after a publication, before it told what had changed.
    const stale =
      step.attempt > 1
        ? await publications.listStale(scope, batch.collection_id, batch.content_ids)
        : outcomes.flatMap((outcome) => outcome.stale);
    const left = await runs.listWork(scope, runContentsOf(batch));
    // What was not tried stays as it is: a suspect that is read together with others takes them down.
    if (left.length > 0) await runs.forgiveAttempt(scope, runContentsOf(batch, [...claimed]));
    return {
      more: idsOf(left.filter((content) => !content.paused)),
      paused: idsOf(left.filter((content) => content.paused)),
      stale,
      chunks: outcomes.reduce((sum, outcome) => sum + outcome.chunks, 0),
    };
  } catch (error) {
    // The worker survived, so this attempt says nothing about the contents.
    await runs.forgiveAttempt(scope, runContentsOf(batch, [...claimed])).catch(() => undefined);
    throw error;
  }
}

/** True for a content that was in progress when a worker died. */
function isSuspect(content: RunWork): boolean {
  return content.dead_attempts > 0;
}

function idsOf(contents: readonly { content_id: string }[]): string[] {
  return contents.map((content) => content.content_id);
}

async function ingestTogether(
  ingestion: Ingestion,
  work: readonly RunWork[],
  claimed: Set<string>,
): Promise<{ stale: string[]; chunks: number }> {
  if (work.length === 0) return { stale: [], chunks: 0 };
  const failing = new AbortController();
  const publisher = createPublisher(ingestion);
  const indexing = createIndexQueue(ingestion, {
    onComplete: (contents) => publisher.add(contents),
    onFailure: () => failing.abort(new Error('indexing has failed')),
  });
  const stages = { ingestion, indexing, publisher, failing: failing.signal, claimed };
  try {
    await resumeIndexing(stages, work);
    await readAll(stages, work);
  } finally {
    // What is complete is published even when something failed.
    try {
      await indexing.drain();
    } finally {
      await publisher.drain();
    }
  }
  return { chunks: await indexing.drain(), stale: await publisher.drain() };
}

/** Adds the contents that an earlier step has read. */
async function resumeIndexing(stages: IngestStages, work: readonly RunWork[]): Promise<void> {
  const { ingestion, indexing } = stages;
  const read = work.filter((content) => content.stage === 'indexing');
  if (read.length === 0) return;
  for (const id of idsOf(read)) stages.claimed.add(id);
  const claimed = await claimContents(ingestion.services, ingestion.batch, {
    contentIds: idsOf(read),
    stage: 'indexing',
    upTo: 'indexing',
  });
  const chunks = new Map(read.map((content) => [content.content_id, content.planned_chunks ?? 1]));
  indexing.add(
    claimed.owned.map(({ content_id }) => ({
      content_id,
      chunks: chunks.get(content_id) ?? 1,
      isRepeated: work.some((content) => content.content_id === content_id && isSuspect(content)),
    })),
  );
}

async function readAll(stages: IngestStages, work: readonly RunWork[]): Promise<void> {
  const { pace, step } = stages.ingestion;
  const unread = work.filter((content) => content.stage !== 'indexing');
  let isFirst = true;
  const readGroup = async (group: readonly string[]) => {
    step.signal.throwIfAborted();
    if (stages.failing.aborted || (!isFirst && pace.timeSlice.isOver())) return;
    isFirst = false;
    await readContents(stages, group);
  };
  const limit = pLimit(READ_CONCURRENCY);
  const groups = await Promise.allSettled(groupToRead(unread).map((group) => limit(() => readGroup(group))));
  for (const group of groups) if (group.status === 'rejected') throw group.reason;
}

/** Groups contents in their order. Those that may take long are alone: large ones and archives. */
function groupToRead(work: readonly RunWork[]): string[][] {
  const groups: { ids: string[]; bytes: number; isAlone: boolean }[] = [];
  for (const content of work) {
    const bytes = content.size ?? 0;
    const isAlone = mayHoldEntries(content);
    const last = groups.at(-1);
    const fits = last && !last.isAlone && !isAlone && last.ids.length < MAX_GROUP.contents;
    if (fits && last.bytes + bytes <= MAX_GROUP.bytes) {
      last.ids.push(content.content_id);
      last.bytes += bytes;
    } else groups.push({ ids: [content.content_id], bytes, isAlone });
  }
  return groups.map((group) => group.ids);
}
