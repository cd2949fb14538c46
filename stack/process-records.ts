import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { endProcess, isSameProcess, killGroup, processStartTime } from './process-identity.ts';
import type { Log } from './timed-step.ts';

/** What is noted in the state folder about a child process, so that somebody else can end it when its launcher was killed. */
const ProcessRecord = z.object({
  name: z.string(),
  pid: z.number().int().positive(),
  startedAt: z.string(),
  launcher: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
});
type ProcessRecord = z.infer<typeof ProcessRecord>;

export type StopSignal = ProcessRecord['stopSignal'];

/** Servers get so long to close their files before they are killed. */
const PATIENCE_MS = 15_000;
/** Those that use the others go first. */
const ORDER = ['api', 'worker', 'weaviate', 'temporal', 'postgres'];

export type ProcessRecords = {
  note(name: string, pid: number, stopSignal: StopSignal): void;
  forget(name: string): void;
};

/** Keeps the notes of one launcher, which is told from later ones by `launcher`. */
export function createProcessRecords(stateDir: string, launcher: string): ProcessRecords {
  const folder = recordFolder(stateDir);
  return {
    note(name, pid, stopSignal) {
      const startedAt = processStartTime(pid);
      if (startedAt === null) return;
      const record: ProcessRecord = { name, pid, startedAt, launcher, stopSignal };
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(record));
    },
    forget(name) {
      rmSync(join(folder, `${name}.json`), { force: true });
    },
  };
}

/**
 * Ends processes that a launcher left behind in this state folder. Only what is provably the same process is touched.
 * @param launcher restricts it to this launcher's processes
 */
export async function endLeftovers(stateDir: string, options: { launcher?: string; log?: Log } = {}): Promise<void> {
  const records = readRecords(stateDir).filter(
    (record) => options.launcher === undefined || record.launcher === options.launcher,
  );
  const rank = (record: ProcessRecord) => ORDER.indexOf(record.name);
  for (const record of records.sort((a, b) => rank(a) - rank(b))) {
    if (isSameProcess(record)) {
      options.log?.(`Ending ${record.name} (process ${record.pid}), left behind by a launcher that was killed`);
      await endProcess(record, record.stopSignal, PATIENCE_MS);
      killGroup(record.pid);
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
      // Half a file of a launcher that was killed while it wrote; the process it would name has no other trace.
      return [];
    }
  });
}

function recordFolder(stateDir: string): string {
  return join(stateDir, 'processes');
}
