import { spawn } from 'node:child_process';
import { constants, accessSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StackError } from '#stack/stack-error.ts';

export type Command = {
  file: string;
  args: readonly string[];
  cwd?: string;
  /** Added to this process's environment, or to `baseEnvironment`. */
  env?: Readonly<Record<string, string>>;
  baseEnvironment?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Called with every line of output as it arrives. */
  onLine?: (line: string) => void;
  signal?: AbortSignal;
};

const MAX_KEPT_LINES = 40;

/** Runs a program and returns its standard output. @throws StackError with the last lines of output if it fails */
export async function runCommand(command: Command): Promise<string> {
  const child = spawn(command.file, command.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...(command.baseEnvironment ?? process.env), ...command.env },
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
    ...(command.signal === undefined ? {} : { signal: command.signal, killSignal: 'SIGTERM' }),
  });
  let stdout = '';
  const lastLines: string[] = [];
  const listen = (text: string) => {
    for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
      command.onLine?.(line);
      lastLines.push(line);
      if (lastLines.length > MAX_KEPT_LINES) lastLines.shift();
    }
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    listen(text);
  });
  child.stderr.setEncoding('utf8').on('data', listen);
  // If the launcher is interrupted during a build, stop the build as well.
  const endWithParent = () => child.kill('SIGTERM');
  process.once('exit', endWithParent);
  return new Promise<string>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new StackError(`${command.file} could not be run: ${error.message}`, { cause: error })),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new StackError(`${command.file} failed (${signal ?? `code ${code}`}):\n${lastLines.join('\n')}`));
    });
  }).finally(() => process.removeListener('exit', endWithParent));
}

/** Returns the full path of the first of these programs that is found on `path`, or null. */
export function findOnPath(names: readonly string[], path: string | undefined): string | null {
  for (const folder of (path ?? '').split(delimiter).filter((part) => part !== '')) {
    for (const name of names) {
      const candidate = join(folder, name);
      if (isExecutable(candidate)) return candidate;
    }
  }
  return null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
