import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '#stack/processes/run-command.ts';
import type { Release, ServerSource } from '#stack/versions.ts';

const VERSION = '4.3.1';
const release = (platform: string): Release => {
  const url = `https://get.helm.sh/helm-v${VERSION}-${platform}.tar.gz`;
  return { url, sha256: { publishedAt: `${url}.sha256sum` } };
};

/** Helm, which renders the chart in `deploy/helm`. */
export const HELM: ServerSource = {
  name: 'helm',
  title: 'Helm',
  version: VERSION,
  binarySetting: 'LOCI_TEST_HELM_BINARY',
  pathNames: ['helm'],
  releaseExecutable: `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/helm`,
  goExecutable: 'helm',
  insteadSetting: null,
  releases: {
    'linux-x64': release('linux-amd64'),
    'linux-arm64': release('linux-arm64'),
    'darwin-x64': release('darwin-amd64'),
    'darwin-arm64': release('darwin-arm64'),
  },
};

/** The executable that `npm test` has obtained; null on a machine where it cannot be had. */
export function findHelm(): string | null {
  const cacheDir = process.env['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci');
  const path = process.env[HELM.binarySetting] || join(cacheDir, `${HELM.name}-${HELM.version}`, HELM.name);
  return isExecutable(path) ? path : null;
}

export type Ran = { code: number; stdout: string; stderr: string };

/** Runs Helm without a cluster. */
export async function runHelm(args: readonly string[]): Promise<Ran> {
  const helm = findHelm();
  if (helm === null) throw new Error('there is no Helm: check `findHelm` first');
  try {
    const ran = await promisify(execFile)(helm, args, { maxBuffer: 16 * 1024 * 1024 });
    return { code: 0, ...ran };
  } catch (error) {
    // execFile rejects with the output when the program fails.
    const { code, stdout, stderr } = error as { code: number } & Ran;
    return { code, stdout, stderr };
  }
}
