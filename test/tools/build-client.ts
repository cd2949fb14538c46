/** `npm run client`: installs and builds `client/`, unless it is up to date. */
import { StackError } from '#stack/stack-error.ts';
import { buildClient } from '#test/support/harness/client-package.ts';

try {
  await buildClient();
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
