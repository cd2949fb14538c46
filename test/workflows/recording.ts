import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { loadWorkflowBundle } from '#workers/workflow-bundle.ts';

const FOLDER = join(import.meta.dirname, 'histories');

/** A history as a file holds it. */
export const RecordedHistory = z.looseObject({
  events: z.array(z.looseObject({ eventType: z.string() })).min(1),
});
export type RecordedHistory = z.infer<typeof RecordedHistory>;

export type Recording = { name: string; history: RecordedHistory };

/** Facts about machine, process and bookkeeping of the server, which no replay reads. `sdkMetadata` is read. */
const LEFT_OUT = new Set([
  'identity',
  'taskId',
  'requestId',
  'workerVersion',
  'deploymentVersion',
  'meteringMetadata',
  'buildId',
]);

/** What Temporal keeps of a run, as plain JSON. */
export function toRecorded(history: History): RecordedHistory {
  return RecordedHistory.parse(JSON.parse(historyToJSON(history)));
}

/** The recordings in the repository, by `<set>/<workflow>-<scenario>`. */
export async function readRecordings(): Promise<Recording[]> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name: name.replace(/\.json$/, ''),
      history: RecordedHistory.parse(JSON.parse(await readFile(join(FOLDER, name), 'utf8'))),
    })),
  );
}

/** Makes room for the recordings of this day; those of other days stay, for runs of their time may still be under way. */
export async function startRecordingSet(): Promise<(recording: Recording) => Promise<void>> {
  const folder = join(FOLDER, new Date().toISOString().slice(0, 10));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return async ({ name, history }) => {
    const compact = JSON.stringify(history, (key, value: unknown) =>
      LEFT_OUT.has(key) || value === null || value === '' ? undefined : value,
    );
    // An event a line, so that a difference can be read.
    await writeFile(join(folder, `${name}.json`), `${compact.replaceAll('{"eventType"', '\n{"eventType"')}\n`);
  };
}

/** Plays histories through the present workflow code; gives what does not fit, one line each. */
export async function replay(recordings: readonly Recording[]): Promise<string[]> {
  quietRuntime();
  const cacheDir = process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci');
  const workflowBundle = await loadWorkflowBundle(cacheDir);
  const problems: string[] = [];
  const histories = recordings.map(({ name, history }) => ({ workflowId: name, history }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error) problems.push(`${workflowId}: ${error.name}: ${error.message}`);
  }
  return problems;
}

let isQuiet = false;

/** The SDK prints what a replay finds as well; it is in the result. Once per process, before the first worker. */
function quietRuntime(): void {
  if (isQuiet) return;
  const logger = new DefaultLogger('ERROR', () => undefined);
  Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR' } }, shutdownSignals: [] });
  isQuiet = true;
}
