/** `npm run client`: installs and builds `client/`, unless it is up to date, and says how to call it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from '#stack/stack-error.ts';
import { buildClient, CLIENT_DIR } from '#test/support/harness/client-package.ts';

try {
  const isNew = await buildClient();
  // The package's own file.
  const { name, version } = JSON.parse(readFileSync(join(CLIENT_DIR, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  console.log(`${isNew ? 'Built' : 'Up to date:'} ${name} ${version} in client/dist: the library and the command loci.
  to call it here      node client/dist/cli/main.js --help
  to call it as loci   npm install --global ./client && loci --help`);
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
