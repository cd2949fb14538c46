import { join } from 'node:path';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';

test('npm start refuses arguments instead of ignoring them, and says where settings are', async (t) => {
  const start = runCommand({
    file: process.execPath,
    args: [join(PROJECT_DIR, 'stack', 'start.ts'), '--port', '9700'],
  });
  const error = await t.throwsAsync(start);
  t.regex(error.message, /takes no arguments, but got: --port 9700[\s\S]*LOCI_PORT=9700 npm start/);
});
