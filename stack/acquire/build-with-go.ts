import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AcquireContext } from './acquire-context.ts';
import { findOnPath, runCommand } from '#stack/processes/run-command.ts';
import { StackError } from '#stack/stack-error.ts';
import { timedStep } from '#stack/timed-step.ts';
import type { ServerSource } from '#stack/versions.ts';

/** What names a build: its folder below `stack/go`, and its executable. */
export type GoSource = Pick<ServerSource, 'name' | 'title' | 'version' | 'goExecutable'>;

/**
 * Builds a server from the Go modules pinned in `stack/go/<name>`. This takes minutes and needs no C compiler.
 * @returns the path of the executable in the folder `work`
 * @throws StackError if there is no Go toolchain, or if the build fails
 */
export async function buildWithGo(source: GoSource, work: string, context: AcquireContext): Promise<string> {
  const go = findOnPath(['go'], context.environment['PATH']);
  if (go === null) throw new StackError('no Go toolchain is on PATH');
  const output = join(work, 'go');
  await mkdir(output, { recursive: true });
  let downloaded = 0;
  let compiled = 0;
  const describe = () =>
    compiled > 0
      ? `${compiled} packages compiled`
      : downloaded > 0
        ? `${downloaded} modules downloaded`
        : 'resolving modules';
  const title = `${source.title} ${source.version}: building with Go; this takes a few minutes and happens only once`;
  await timedStep({ log: context.log, title, describe }, () =>
    runCommand({
      file: go,
      args: ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', `${output}/`, 'tool'],
      cwd: join(import.meta.dirname, '..', 'go', source.name),
      // Ignore the user's Go workspace, vendoring and C settings: only go.mod and go.sum determine the build.
      env: { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' },
      onLine: (line) => {
        if (line.startsWith('go: downloading')) downloaded += 1;
        else compiled += 1;
      },
    }),
  );
  return join(output, source.goExecutable);
}
