import { join } from 'node:path';
import { SandboxPool } from '#providers/sandbox/sandbox-pool.ts';

/**
 * `sandbox-parent.ts FOLDER INPUT`: a parent process that a test kills. Starts a sandbox, sends the pid of the sandbox process
 * to the test and gives it an endless task.
 */
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
