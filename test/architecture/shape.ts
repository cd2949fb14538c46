import { basename, dirname } from 'node:path';
import { layerOf, stemOf, subjectOf, type SourceFile } from './source-model.ts';

export const MAX_FILES_IN_FOLDER = 25;
const MAX_SQL_COLUMNS = 130;
const MAX_FUNCTION_LINES = 40;
/** A workflow with its handlers. */
const MAX_WORKFLOW_LINES = 80;
/** Layers whose folders are subjects. */
export const LAYERS_BY_SUBJECT = new Set(['domain', 'operations', 'store', 'activities']);
/** Folders within them that are no subjects: what every subject is made of. */
export const SHARED_FOLDERS = new Set(['records', 'filters', 'chunking', 'jobs', 'weaviate']);

/** Functions that are longer than a screen, as `path:line name (lines)`. Factories of stores count by their methods. */
export function longFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, functions }) => {
    const limit = layerOf(path) === 'workflows' ? MAX_WORKFLOW_LINES : MAX_FUNCTION_LINES;
    return functions
      .filter(({ lines, returnsObject }) => lines > limit && !returnsObject)
      .map(({ name, line, lines }) => `${path}:${line} ${name} (${lines})`);
  });
}

/**
 * Whether some export of a file has its name: every word of the file's name is in it, in any order and number, so that
 * `search-collection.ts` may export `searchCollection`, `content-lists.ts` `listContents`, `memories.ts` `createMemoryStore`.
 * Words of the folder may be left out: `pdf/pdf-reader.ts` exports `pdfReader`.
 */
export function hasOwnName({ path, exports }: SourceFile): boolean {
  const folder = new Set(dirname(path).split(/[/-]/).map(singular));
  const words = stemOf(path).split('-').map(singular);
  const own = words.filter((word) => !folder.has(word));
  const wanted = own.length > 0 ? own : words;
  return exports.some(({ name }) => {
    const plain = name.toLowerCase().replaceAll('_', '').replaceAll('ies', 'y');
    return wanted.every((word) => plain.includes(word));
  });
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Files whose name stands for a family of exports of equal rank. */
const FAMILIES = new Set([
  'api/http/request/query-fields.ts',
  'api/mcp/memory-fields.ts',
  'api/mcp/result-fields.ts',
  'api/routes/contents/control-content.ts',
  'api/routes/path-params.ts',
  'api/routes/uploads/control-upload.ts',
  'client/src/cli/option-parsers.ts',
]);

/** Files that export nothing, a family, or a list of what others export. */
export function isWithoutOwnName({ path, exports }: SourceFile): boolean {
  return exports.length === 0 || basename(path) === 'index.ts' || layerOf(path) === 'migrations' || FAMILIES.has(path);
}

/** Lines of `store/` that are wider than a review shows, as `path:line`. */
export function longSqlLines(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => layerOf(path) === 'store')
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => (line.length > MAX_SQL_COLUMNS ? [`${path}:${at + 1}`] : [])),
    );
}

/** Imports of a file that lead from its subject to another one, as `from > to`; one entry an import. */
export function subjectArrows({ path, imports }: SourceFile): string[] {
  const from = subject(path);
  if (from === null) return [];
  return imports.flatMap(({ to }) => {
    const target = to === null ? null : subject(to);
    return target === null || target === from ? [] : [`${from} > ${target}`];
  });
}

function subject(path: string): string | null {
  const name = subjectOf(path);
  return name === null || !LAYERS_BY_SUBJECT.has(layerOf(path)) || SHARED_FOLDERS.has(name) ? null : name;
}
