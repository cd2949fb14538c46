import { join } from 'node:path';
import { SandboxPool } from '#providers/sandbox/sandbox-pool.ts';

/** A parent to be killed: runs `sandbox-parent.ts FOLDER INPUT`, tells its child's pid, and sets it an endless task. */
const [, , workFolder = '', inputPath = ''] = process.argv;
const pool = new SandboxPool({
  taskModule: join(import.meta.dirname, 'sandbox-tasks.ts'),
  readableFolders: [import.meta.dirname],
  workFolder,
  processes: 1,
  memoryBytes: 300 * 1024 * 1024,
  timeoutMs: 600_000,
});
const { outcomes } = await pool.run([{ inputPath, payload: { kind: 'pid' } }]);
const [outcome] = outcomes;
void pool.run([{ inputPath, payload: { kind: 'loop' } }]);
process.send?.(outcome?.ok ? outcome.value : null);
