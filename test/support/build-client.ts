/** `npm run client`: installs and builds `client/`, unless that was done with these sources before. */
import { buildClient } from './client-package.ts';

try {
  await buildClient();
} catch (error) {
  const said = error instanceof Error ? ['stdout', 'stderr'].map((name) => Reflect.get(error, name)).join('') : '';
  console.error(said === '' ? error : said);
  process.exitCode = 1;
}
