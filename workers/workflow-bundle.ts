import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';

const PROJECT_DIR = join(import.meta.dirname, '..');

/**
 * Returns the workflow code as one script, as the SDK requires. Bundling takes seconds, so the result is cached under a hash of
 * its sources, of the modules with interceptors and of the SDK's version; a start with unchanged workflows reads a file.
 */
export async function loadWorkflowBundle(
  cacheDir: string,
  interceptors: readonly string[] = [],
): Promise<WorkflowBundle> {
  const folder = join(cacheDir, 'workflow-bundles');
  const path = join(folder, `${await digestSources(interceptors)}.js`);
  const cached = await readFile(path, 'utf8').catch(() => null);
  if (cached !== null) return { code: cached };
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(PROJECT_DIR, 'workflows', 'index.ts'),
    workflowInterceptorModules: [...interceptors],
  });
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, bundle.code);
  await rename(temporary, path);
  return bundle;
}

async function digestSources(interceptors: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of interceptors) hash.update(`${path}\0`);
  hash.update(String(createRequire(import.meta.url)('@temporalio/worker/package.json').version));
  for (const folder of ['workflows', 'domain']) {
    const found = await readdir(join(PROJECT_DIR, folder), { recursive: true });
    const names = found.filter((name) => name.endsWith('.ts')).sort();
    for (const name of names)
      hash.update(`${folder}/${name}\0`).update(await readFile(join(PROJECT_DIR, folder, name)));
  }
  return hash.digest('hex').slice(0, 32);
}
