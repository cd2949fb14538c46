import { mkdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf, type SandboxOutcome, type TaskGroup } from './sandbox-batch.ts';
import type { ProcessTask, SandboxProcess } from './sandbox-process.ts';
import { placeInput } from './work-folder.ts';

/** `indices`: the tasks without an answer; the first one was running. */
export type FailedRun = { error: unknown; indices: readonly number[] };

type GroupRun = {
  group: TaskGroup;
  /** Name of a folder that no other run of the process has used. */
  job: string;
  /** Must not throw. */
  settle: (index: number, outcome: SandboxOutcome) => void;
};

/**
 * Runs a group of tasks in a process. Each task is settled as soon as it is answered, when its files have been moved to the folder
 * of its batch. Returns null when all were answered.
 */
export async function runGroup(
  process: SandboxProcess,
  { group: { batch, indices }, job, settle }: GroupRun,
): Promise<FailedRun | null> {
  const folders = { in: join(process.folder, 'in', job), out: join(process.folder, 'out', job) };
  const settled: Promise<void>[] = [];
  const moveAndSettle = async (index: number, answer: Parameters<typeof outcomeOf>[0]): Promise<void> => {
    const [written, moved] = [join(folders.out, String(index)), join(batch.options.folder, `${job}-${index}`)];
    if (answer.type === 'value') {
      const endings = batch.options.tasks[index]?.filesOf?.(answer.value) ?? [];
      await Promise.all(endings.map((ending) => rename(written + ending, moved + ending).catch(() => undefined)));
    }
    settle(index, outcomeOf(answer, moved));
    await unlink(join(folders.in, String(index))).catch(() => undefined);
  };
  try {
    const tasks = await placeTasks({ batch, indices }, folders);
    const running = process.run(tasks, (answer) => {
      const index = indices[settled.length];
      if (index !== undefined) settled.push(moveAndSettle(index, answer));
    });
    if (batch.isDraining) process.drain();
    await running;
    return null;
  } catch (error) {
    return { error, indices: indices.slice(settled.length) };
  } finally {
    await Promise.all(settled);
    await Promise.all(Object.values(folders).map(removeFolder));
  }
}

/** Links or writes the files of the tasks into the process's folder, and creates a folder for what they write. */
async function placeTasks({ batch, indices }: TaskGroup, folders: { in: string; out: string }): Promise<ProcessTask[]> {
  await Promise.all([mkdir(folders.in), mkdir(folders.out)]);
  return Promise.all(
    indices.map(async (index) => {
      const { inputPath: from = '', inputBytes: bytes, payload } = batch.options.tasks[index] ?? {};
      const [inputPath, outputPrefix] = [join(folders.in, String(index)), join(folders.out, String(index))];
      await (bytes === undefined ? placeInput(from, inputPath) : writeFile(inputPath, bytes));
      return { task: { inputPath, outputPrefix, payload }, cpuBudgetMs: batch.cpuBudgetMs(index) };
    }),
  );
}

/** Most folders are empty by now, which takes one call instead of several. */
async function removeFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => rm(folder, { recursive: true, force: true }));
}
