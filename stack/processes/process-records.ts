import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { stopProcess, isSameProcess, killProcessGroup, processStartTime } from './process-identity.ts';
import type { Log } from '#stack/timed-step.ts';

/** Stored in the state folder for each child process, so that it can be stopped after its launcher was killed. */
const ProcessRecord = z.object({
  name: z.string(),
  pid: z.number().int().positive(),
  startedAt: z.string(),
  launcher: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
});
type ProcessRecord = z.infer<typeof ProcessRecord>;

export type StopSignal = ProcessRecord['stopSignal'];

/** Time that a server has to close its files before it is killed. */
const STOP_TIMEOUT_MS = 15_000;
/** Processes stop before the ones they depend on. */
const STOP_ORDER = ['api', 'worker', 'weaviate', 'temporal', 'postgres'];

export type ProcessRecords = {
  add(name: string, pid: number, stopSignal: StopSignal): void;
  remove(name: string): void;
};

/** Returns the process records of one launcher. `launcher` is an id that distinguishes it from later launchers. */
export function createProcessRecords(stateDir: string, launcher: string): ProcessRecords {
  const folder = recordFolder(stateDir);
  return {
    add(name, pid, stopSignal) {
      const startedAt = processStartTime(pid);
      if (startedAt === null) return;
      const record: ProcessRecord = { name, pid, startedAt, launcher, stopSignal };
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(record));
    },
    remove(name) {
      rmSync(join(folder, `${name}.json`), { force: true });
    },
  };
}

/**
 * Stops the processes that a killed launcher left running on this state folder. Processes that only reuse a recorded id
 * are not affected.
 * @param options.launcher limits it to the processes of this launcher
 */
export async function stopOrphanedProcesses(
  stateDir: string,
  options: { launcher?: string; log?: Log } = {},
): Promise<void> {
  const records = readRecords(stateDir).filter(
    (record) => options.launcher === undefined || record.launcher === options.launcher,
  );
  const rank = (record: ProcessRecord) => STOP_ORDER.indexOf(record.name);
  for (const record of records.sort((a, b) => rank(a) - rank(b))) {
    if (isSameProcess(record)) {
      options.log?.(`Stopping ${record.name} (process ${record.pid}), which a killed launcher left running`);
      await stopProcess(record, record.stopSignal, STOP_TIMEOUT_MS);
      killProcessGroup(record.pid);
    }
    rmSync(join(recordFolder(stateDir), `${record.name}.json`), { force: true });
  }
}

function readRecords(stateDir: string): ProcessRecord[] {
  const folder = recordFolder(stateDir);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [ProcessRecord.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))];
    } catch {
      // An incomplete file of a launcher that was killed while writing it. The process cannot be identified otherwise.
      return [];
    }
  });
}

function recordFolder(stateDir: string): string {
  return join(stateDir, 'processes');
}
