import { spawnSync } from 'node:child_process';

/**
 * Ways to start a program in a network namespace of its own, with `unshare` of util-linux or BusyBox: as a user without any
 * privileges (user namespaces), and as root where these are disabled.
 */
const COMMANDS = [
  ['unshare', '-U', '-n'],
  ['unshare', '-n'],
] as const;
const PROBE_TIMEOUT_MS = 5_000;

let found: readonly string[] | null = null;

/**
 * The command that starts a program without any network interface, not even the loopback one; the program and its arguments
 * follow it. Empty where the operating system or a container does not allow it: tried once per process.
 */
export function networkNamespaceCommand(): readonly string[] {
  found ??= COMMANDS.find((command) => works(command)) ?? [];
  return found;
}

/** Whether Node itself starts with the command: not every user that has namespaces can read all files in one. */
function works([command, ...options]: readonly [string, ...string[]]): boolean {
  const probe = spawnSync(command, [...options, process.execPath, '--version'], {
    env: {},
    stdio: 'ignore',
    timeout: PROBE_TIMEOUT_MS,
  });
  return probe.status === 0;
}
