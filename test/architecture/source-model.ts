import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';

export const PROJECT_DIR = join(import.meta.dirname, '..', '..');

/** One import or re-export of a file: to a file of the project, or to a package. */
export type Import = {
  from: string;
  to: string | null;
  packageName: string | null;
  isType: boolean;
  /** Imported names; `*` for a namespace or for a dynamic import. */
  names: readonly string[];
};

export type Export = { name: string; isType: boolean };

/** A function with its length in lines. `name` is the nearest one: its own, of its variable, or of its property. */
export type SourceFunction = { name: string; line: number; lines: number; returnsObject: boolean };

export type SourceFile = {
  path: string;
  text: string;
  lines: number;
  imports: readonly Import[];
  exports: readonly Export[];
  functions: readonly SourceFunction[];
};

const PATTERNS = { server: '**/*.ts', client: 'client/src/**/*.ts', console: 'console/src/**/*.{ts,tsx}' };

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** The TypeScript sources of the server, its tests and benchmarks, or those of another package. */
export function readSources(of: 'server' | 'client' | 'console' = 'server'): SourceFile[] {
  const paths = globSync(PATTERNS[of], {
    cwd: PROJECT_DIR,
    exclude: of === 'server' ? ['**/node_modules', '.*', 'client', 'console', 'adapters'] : ['client/src/schema.ts'],
  });
  return paths.filter((path) => !path.endsWith('.d.ts')).map(readSource);
}

/** The first folder of a path; empty for a file in the root. */
export function layerOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** The subject of a file, its second folder: `search` of `store/search/x.ts`. Null for a file directly in its layer. */
export function subjectOf(path: string): string | null {
  const folders = dirname(path).split('/');
  return folders[1] ?? null;
}

/**
 * Groups of files that import each other in a circle, types included where `withTypes` says so (Tarjan 1972: strongly
 * connected components of more than one file).
 */
export function importCycles(files: readonly SourceFile[], { withTypes }: { withTypes: boolean }): string[][] {
  const targets = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ to, isType }) => (to !== null && to !== path && (withTypes || !isType) ? [to] : [])),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    stack.push(path);
    for (const to of targets.get(path) ?? []) {
      const reached = order.has(to) ? (stack.includes(to) ? (order.get(to) ?? index) : index) : visit(to);
      lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
    }
    const low = lowest.get(path) ?? index;
    if (low === index) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return low;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return cycles;
}

/** Exported values that no other file imports, as `path: name`. */
export function unusedExports(files: readonly SourceFile[], importers: readonly SourceFile[] = files): string[] {
  const used = new Set(
    importers.flatMap(({ imports }) => imports.flatMap(({ to, names }) => names.map((name) => `${to}: ${name}`))),
  );
  return files.flatMap(({ path, exports }) =>
    exports
      .filter(({ name, isType }) => !isType && !used.has(`${path}: ${name}`) && !used.has(`${path}: *`))
      .map(({ name }) => `${path}: ${name}`),
  );
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(PROJECT_DIR, path), 'utf8');
  const { module, program } = parseSync(path, text);
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, isType }) => (exportName.name === null ? [] : [{ name: exportName.name, isType }])),
  );
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    imports: importsOf(path, text, module),
    exports,
    functions: functionsOf(program as unknown as Node, text), // the parser's own types of nodes are not needed
  };
}

function importsOf(path: string, text: string, module: ReturnType<typeof parseSync>['module']): Import[] {
  const declared = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      names: entries.map(({ importName }) => importName.name ?? '*'),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, importName, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, isType, names: [importName.name ?? '*'] }] : [],
      ),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) => ({
      specifier: text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
      isType: false,
      names: ['*'],
    })),
  ];
  return declared.flatMap(({ specifier, ...rest }): Import[] => {
    if (specifier.startsWith('#')) return [{ from: path, to: specifier.slice(1), packageName: null, ...rest }];
    if (specifier.startsWith('.'))
      return [{ from: path, to: normalize(join(dirname(path), specifier)), packageName: null, ...rest }];
    if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return [];
    const packageName = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    return [{ from: path, to: null, packageName, ...rest }];
  });
}

function functionsOf(program: Node, text: string): SourceFunction[] {
  const starts = lineStarts(text);
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  const found: SourceFunction[] = [];
  const visit = (node: Node, name: string) => {
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
    const own = nameIn(node['id']) ?? nameIn(node['key']) ?? name;
    if (isFunction) {
      const line = lineAt(node.start);
      found.push({ name: own, line, lines: lineAt(node.end - 1) - line + 1, returnsObject: returnsObject(node) });
    }
    for (const child of childrenOf(node)) visit(child, own);
  };
  visit(program, '');
  return found;
}

/** Whether a function does nothing in the end but give an object: a factory, whose methods are counted on their own. */
function returnsObject(node: Node): boolean {
  const body = node['body'] as Node | undefined; // a function has one
  if (body?.type === 'ObjectExpression') return true;
  const last = body?.type === 'BlockStatement' ? (body['body'] as readonly Node[]).at(-1) : undefined;
  return last?.type === 'ReturnStatement' && (last['argument'] as Node | null)?.type === 'ObjectExpression';
}

function nameIn(value: unknown): string | undefined {
  const { name } = (value ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is Node => typeof one === 'object' && one !== null && 'type' in one && 'start' in one,
    ),
  );
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** `content-chunks` of `store/contents/content-chunks.ts`. */
export function stemOf(path: string): string {
  return basename(path).replace(/(\.test)?\.tsx?$/, '');
}
