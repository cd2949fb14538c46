import module, { isBuiltin, registerHooks } from 'node:module';
import os from 'node:os';

/**
 * Modules of Node that parsers may import. Everything else is refused: the network, processes and threads, the inspector, and
 * modules that read or write files without asking Node's permission model, such as `node:sqlite`.
 */
const ALLOWED_BUILTINS: ReadonlySet<string> = new Set([
  'assert',
  'assert/strict',
  'async_hooks',
  'buffer',
  'console',
  'constants',
  'crypto',
  'diagnostics_channel',
  'events',
  'fs',
  'fs/promises',
  'module',
  'os',
  'path',
  'path/posix',
  'path/win32',
  'perf_hooks',
  'punycode',
  'querystring',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'timers',
  'timers/promises',
  'url',
  'util',
  'util/types',
  'zlib',
]);

/**
 * Modules that libraries import for features that no parser uses, such as loading a page's scripts. They are allowed because all
 * they could do is refused: sockets by `lockDown`, child processes by the permission model.
 */
const INERT_BUILTINS: ReadonlySet<string> = new Set(['child_process', 'http', 'https', 'net', 'tls', 'tty', 'vm']);

/** Methods of `process` that reach outside of the process, or native code. */
const REFUSED_OF_PROCESS = [
  '_debugEnd',
  '_debugProcess',
  '_kill',
  '_linkedBinding',
  'binding',
  'dlopen',
  'execve',
  'initgroups',
  'kill',
  'loadEnvFile',
  'openStdin',
  'setegid',
  'seteuid',
  'setgid',
  'setgroups',
  'setuid',
];

/**
 * Limits what the code of the process can reach of Node, from now on: the modules of the two lists, in every way a module can be
 * loaded, and of `process` and the modules allowed what stays within the process.
 */
export function restrictBuiltins(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      requireAllowed(specifier);
      return nextResolve(specifier, context);
    },
  });
  const load: unknown = Reflect.get(module, '_load');
  const getBuiltin = process.getBuiltinModule.bind(process);
  Object.assign(module, {
    // A thread for hooks would have none of these restrictions, and a compile cache is written wherever one says.
    ...refusing(['register', 'enableCompileCache', 'registerHooks', 'runMain']),
    _load(request: string, ...rest: unknown[]) {
      requireAllowed(request);
      return Reflect.apply(load as (...all: unknown[]) => unknown, module, [request, ...rest]);
    },
  });
  Object.assign(process, refusing(REFUSED_OF_PROCESS), {
    getBuiltinModule(name: string) {
      requireAllowed(name);
      return getBuiltin(name);
    },
  });
  Reflect.deleteProperty(process, 'report');
  Reflect.deleteProperty(process, 'mainModule');
  Object.assign(os, refusing(['setPriority']));
}

function requireAllowed(specifier: string): void {
  const name = specifier.replace(/^node:/, '');
  if (isBuiltin(specifier) && !ALLOWED_BUILTINS.has(name) && !INERT_BUILTINS.has(name)) refuse();
}

/** Methods of these names that always fail. */
function refusing(names: readonly string[]): Record<string, () => never> {
  return Object.fromEntries(names.map((name) => [name, refuse]));
}

/** Throws as Node's permission model does. */
export function refuse(): never {
  throw Object.assign(new Error('This process has no access to that'), { code: 'ERR_ACCESS_DENIED' });
}
