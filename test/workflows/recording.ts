import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { loadWorkflowBundle } from '#workers/workflow-bundle.ts';

const FOLDER = join(import.meta.dirname, 'histories');

/** A workflow history as it is stored in a file. */
export const RecordedHistory = z.looseObject({
  events: z.array(z.looseObject({ eventType: z.string() })).min(1),
});
export type RecordedHistory = z.infer<typeof RecordedHistory>;

export type Recording = { name: string; history: RecordedHistory };

/** Fields about machine, process and server bookkeeping, which replay does not read (it does read `sdkMetadata`). */
const OMITTED_FIELDS = new Set([
  'identity',
  'taskId',
  'requestId',
  'workerVersion',
  'deploymentVersion',
  'meteringMetadata',
  'buildId',
]);

/** Converts a history to plain JSON. */
export function toRecorded(history: History): RecordedHistory {
  return RecordedHistory.parse(JSON.parse(historyToJSON(history)));
}

/** Reads the recorded histories of the repository, named `<set>/<workflow>-<scenario>`. */
export async function readRecordings(): Promise<Recording[]> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name: name.replace(/\.json$/, ''),
      history: RecordedHistory.parse(JSON.parse(await readFile(join(FOLDER, name), 'utf8'))),
    })),
  );
}

/**
 * Empties the recording set of today and returns a function that adds to it. Older sets are kept, because runs started with the
 * code of their time may still be open.
 */
export async function startRecordingSet(): Promise<(recording: Recording) => Promise<void>> {
  const folder = join(FOLDER, new Date().toISOString().slice(0, 10));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return async ({ name, history }) => {
    const compact = JSON.stringify(history, (key, value: unknown) =>
      OMITTED_FIELDS.has(key) || value === null || value === '' ? undefined : value,
    );
    // One event per line, so that diffs are readable.
    await writeFile(join(folder, `${name}.json`), `${compact.replaceAll('{"eventType"', '\n{"eventType"')}\n`);
  };
}

/** Replays histories with the current workflow code, and interceptors, and returns one line per failure. */
export async function replay(
  recordings: readonly Recording[],
  interceptors: readonly string[] = [],
): Promise<string[]> {
  quietRuntime();
  const cacheDir = process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci');
  const workflowBundle = await loadWorkflowBundle(cacheDir, interceptors);
  const problems: string[] = [];
  const histories = recordings.map(({ name, history }) => ({ workflowId: name, history }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error) problems.push(`${workflowId}: ${error.name}: ${error.message}`);
  }
  return problems;
}

let isQuiet = false;

/** Silences the SDK, which also logs replay failures. Must run once per process, before the first worker is created. */
function quietRuntime(): void {
  if (isQuiet) return;
  const logger = new DefaultLogger('ERROR', () => undefined);
  Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR' } }, shutdownSignals: [] });
  isQuiet = true;
}
