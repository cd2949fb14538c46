/**
 * Runs beside a launcher, with a pipe from it as standard input. When the pipe closes, the launcher has ended, and this
 * process stops the servers that are still running. So even `kill -9` of the launcher leaves no servers behind.
 *
 * Usage: node stack/processes/reaper.ts STATE_DIR LAUNCHER_ID [--remove]
 */
import { stopOrphanedProcesses } from './process-records.ts';
import { removeStateFolder } from '#stack/state-folder.ts';

const [stateDir, launcher, remove] = process.argv.slice(2);
if (stateDir === undefined || launcher === undefined)
  throw new Error('usage: reaper.ts STATE_DIR LAUNCHER_ID [--remove]');

process.stdin.resume();
process.stdin.once('end', () => {
  void stopOrphanedProcesses(stateDir, { launcher }).finally(() => {
    if (remove === '--remove') removeStateFolder(stateDir);
  });
});
