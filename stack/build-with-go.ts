import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AcquireContext } from './acquire-server.ts';
import { findOnPath, runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';
import { timedStep } from './timed-step.ts';
import type { ServerSource } from './versions.ts';

/**
 * Builds a server from the Go modules pinned in `stack/go/<name>`. Takes minutes, needs no C compiler.
 * @returns the path of the executable inside `work`
 * @throws StackError when there is no Go toolchain or the build fails
 */
export async function buildWithGo(source: ServerSource, work: string, context: AcquireContext): Promise<string> {
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
  const title = `${source.title} ${source.version}: building it with Go, once; this takes a few minutes`;
  await timedStep({ log: context.log, title, describe }, () =>
    runCommand({
      file: go,
      args: ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', `${output}/`, 'tool'],
      cwd: join(import.meta.dirname, 'go', source.name),
      // A workspace, vendoring or C settings of the user must not leak in: go.mod and go.sum alone decide.
      env: { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' },
      onLine: (line) => {
        if (line.startsWith('go: downloading')) downloaded += 1;
        else compiled += 1;
      },
    }),
  );
  return join(output, source.goExecutable);
}
