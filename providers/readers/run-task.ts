import type { ChildTask } from '#providers/sandbox/child-task.ts';
import { unpack } from '#providers/readers/archives/unpack.ts';
import type { UnpackValue } from '#providers/readers/archives/unpack-payload.ts';
import { readAndSplit, readError } from './read-and-split.ts';
import type { TaskPayload, TaskValue } from './task-payload.ts';

/**
 * Runs one task in a sandboxed process: reads a document, splits it, or both; or extracts entries of an archive. No
 * module imports this function: the sandbox child loads the file by its path (`taskModule` of `createReaderPool`).
 */
export async function runTask({ inputPath, outputPrefix, payload }: ChildTask): Promise<TaskValue | UnpackValue> {
  // The reader pool sends no other payload.
  const task = payload as TaskPayload;
  if (task.kind !== 'unpack') return readAndSplit({ path: inputPath }, { task, outputPrefix });
  return unpack(inputPath, outputPrefix, task).catch((error: unknown) => {
    throw readError(error);
  });
}
