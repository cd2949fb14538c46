/**
 * `npm run console`: builds the web console unless it is up to date. With `--check` it checks the types only; with `--background`,
 * as `npm start` runs it, it does not check them, which needs the dependencies of development.
 */
import { constants, setPriority } from 'node:os';
import { StackError } from '#stack/stack-error.ts';
import { buildConsole, checkConsoleTypes } from './build-console.ts';

// Only a process that exits by itself ends the programs that it runs.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

try {
  if (process.argv.includes('--check')) {
    await checkConsoleTypes();
  } else {
    const inBackground = process.argv.includes('--background');
    if (inBackground) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const isNew = await buildConsole({ checksTypes: !inBackground });
    console.log(
      `${isNew ? 'Built the console' : 'The console is up to date'} in console/dist; the API serves it at /console.`,
    );
  }
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
