/** `npm run client:python`: builds the wheel of `client-python/`, and says how to install it. */
import { relative } from 'node:path';
import { StackError } from '#stack/stack-error.ts';
import { buildPythonClient, pythonTools } from '#test/client-python/python-package.ts';

try {
  const tools = await pythonTools();
  if ('missing' in tools) throw new StackError(`The Python client cannot be built here: ${tools.missing}`);
  const wheel = await buildPythonClient(tools);
  console.log(`Built ${relative(process.cwd(), wheel)}. Install it with
  pip install ${relative(process.cwd(), wheel)}`);
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
