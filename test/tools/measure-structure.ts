/** `npm run structure`: prints figures of the code's structure, for comparing two revisions. `-- --list` lists the offenders. */
import { basename, dirname } from 'node:path';
import {
  importCycles,
  layerOf,
  readSources,
  subjectOf,
  unusedExports,
  type SourceFile,
} from '#test/architecture/source-model.ts';
import {
  hasOwnName,
  isWithoutOwnName,
  longFunctions,
  longSqlLines,
  MAX_FILES_IN_FOLDER,
  subjectArrows,
} from '#test/architecture/shape.ts';

const isListing = process.argv.includes('--list');
const everything = readSources();
const files = everything.filter(({ path }) => !['test', 'bench'].includes(layerOf(path)));

figure('files', files.map(({ path }) => path).length);
const lengths = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))] ?? 0;
console.log(`lines a file: median ${at(0.5)}, p90 ${at(0.9)}, longest ${at(1)}`);
const folders = [...Map.groupBy(everything, ({ path }) => dirname(path))]
  .map(([folder, inside]) => ({ folder, count: inside.length }))
  .toSorted((a, b) => b.count - a.count);
figure(
  `folders with more than ${MAX_FILES_IN_FOLDER} files`,
  folders.filter(({ count }) => count > MAX_FILES_IN_FOLDER).map(({ folder, count }) => `${folder} ${count}`),
);
console.log(
  `fullest folders: ${folders
    .slice(0, 8)
    .map(({ folder, count }) => `${folder} ${count}`)
    .join(', ')}`,
);
figure('functions over their limit', longFunctions(files));
figure(
  'files without an export of their name',
  files.filter((file) => !hasOwnName(file) && !isWithoutOwnName(file)).map(({ path }) => path),
);
figure('exported values that nobody imports', unusedExports(files, everything));
figure(
  'import cycles, types included',
  importCycles(everything, { withTypes: true }).map((cycle) => cycle.map((path) => basename(path)).join(' ')),
);
figure(
  'import cycles, values only',
  importCycles(everything, { withTypes: false }).map((cycle) => cycle.join(' ')),
);
figure('lines of SQL over 130 columns', longSqlLines(files));
const arrows = files.flatMap(subjectArrows);
figure('imports between subjects', arrows.length);
figure('pairs of subjects that import each other', [...new Set(arrows)].toSorted());
figure('files of 30 lines and fewer, routes apart', files.filter(isSmall).length);

function isSmall({ path, lines }: SourceFile): boolean {
  return lines <= 30 && !path.startsWith('api/routes/') && subjectOf(path) !== undefined;
}

function figure(title: string, found: number | readonly string[]): void {
  console.log(`${title}: ${typeof found === 'number' ? found : found.length}`);
  if (isListing && typeof found !== 'number') for (const one of found) console.log(`  ${one}`);
}
