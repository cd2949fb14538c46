/**
 * Started beside a launcher, with a pipe to it as standard input. When the pipe closes the launcher is gone, in whatever way:
 * what it left running is ended, so that not even `kill -9` leaves servers behind.
 *
 * Usage: node stack/reaper.ts STATE_DIR LAUNCHER_ID [--remove]
 */
import { endLeftovers } from './process-records.ts';
import { removeStateFolder } from './state-folder.ts';

const [stateDir, launcher, remove] = process.argv.slice(2);
if (stateDir === undefined || launcher === undefined)
  throw new Error('usage: reaper.ts STATE_DIR LAUNCHER_ID [--remove]');

process.stdin.resume();
process.stdin.once('end', () => {
  void endLeftovers(stateDir, { launcher }).finally(() => {
    if (remove === '--remove') removeStateFolder(stateDir);
  });
});
