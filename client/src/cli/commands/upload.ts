import { type Command, Option } from '@commander-js/extra-typings';
import { LociError } from '../../loci-error.ts';
import type { FileInput, UploadFailure } from '../../upload/upload-input.ts';
import { collectFiles, type CollectedFile } from '../collect-files.ts';
import { externalIdOfPath, nameOfPath } from '../content-path.ts';
import { parseInteger, parseJsonObject, collectRepeated } from '../option-parsers.ts';
import { sendAll, waitForAll } from '../send-all.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { createUploadReport, formatUploadReport } from '../upload-report.ts';

/** Enough for a restart of the service: about 40 seconds. */
const RETRIES = 8;
const HELP = `
Folders are uploaded with all their subfolders, without names that begin with a dot. A file of a folder is named by its path,
such as docs/guides/start.md for a file of the folder docs, and replaces the content that was uploaded from the same path.
Files that the collection already has are not sent: to continue after an interruption, run the same command again. The exit
code is 1 if items failed; they are listed with the reason. Nothing is deleted when its file is gone: for a collection that is to
follow a folder, use loci sync from the beginning, which deletes only what it has put there itself.`;

type UploadArguments = { paths: string[]; urls: string[] };

/** `loci upload` */
export function addUpload(program: Command, shell: Shell): void {
  program
    .command('upload')
    .description('Upload files, folders, URLs and texts, and wait until they are searchable')
    .argument('[path or url...]', 'files, folders with all their subfolders, or http(s) URLs')
    .option('-c, --collection <id or name>', 'target collection; by default the one of npm start')
    .option('--text <text>', 'a text to upload as a content; may be repeated', collectRepeated)
    .option('-m, --metadata <json>', `metadata of every content, such as '{"lang":"en"}'`, parseJsonObject)
    .option('-d, --description <text>', 'description of every content')
    .option('--reader <name>', 'reader of the files; by default detected from the content')
    .option('--replace', 'replace the content of the same path; the default for files in folders')
    .option('--no-replace', 'add a changed file beside the content of the same path')
    .addOption(onDuplicate())
    .option('--crawl', 'follow the links of each URL within its site')
    .option('--max-pages <n>', 'maximum number of pages of a crawl; default 100', parseInteger(1, 1_000_000))
    .option('--max-depth <n>', 'maximum number of links from the URL to a page; default 3', parseInteger(0, 50))
    .option('--store-only', 'store only, do not ingest')
    .option('--hidden', 'include names that begin with a dot')
    .option('--no-wait', 'do not wait until everything is searchable')
    .addHelpText('after', HELP)
    .action(async (given, options) => uploadAll(shell, checkInput(splitArguments(given), options), options));
}

type UploadCommandOptions = InputOptions & {
  collection?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  description?: string | undefined;
  reader?: string | undefined;
  replace?: boolean | undefined;
  onDuplicate?: 'existing' | 'keep' | undefined;
  storeOnly?: boolean | undefined;
  hidden?: boolean | undefined;
  wait: boolean;
};

async function uploadAll(shell: Shell, target: UploadArguments, options: UploadCommandOptions): Promise<void> {
  const collectionId = await resolveCollectionId(shell.openClient(), options.collection);
  const found = await collectFiles(target.paths, { hidden: options.hidden === true });
  const { files, repeated } = toInputs(found.files, replacementOf(options));
  const loci = shell.openClient({ retries: RETRIES });
  const { metadata, description, reader, onDuplicate: same } = options;
  const sent = await sendAll(loci, shell, {
    collectionId,
    files,
    urls: target.urls,
    texts: options.text,
    metadata,
    description,
    reader,
    onDuplicate: same,
    ingest: options.storeOnly === true ? false : undefined,
    skipPresent: true,
    crawl: options.crawl === true && { maxPages: options.maxPages, maxDepth: options.maxDepth },
  });
  sent.failures.unshift(...found.problems, ...repeated);
  const ready = options.wait ? await waitForAll(loci, shell, sent) : null;
  printReport(shell, createUploadReport(collectionId, sent, ready));
}

function onDuplicate() {
  const option = new Option('--on-duplicate <what>', 'what to do for the same bytes with the same name');
  return option.choices(['existing', 'keep'] as const);
}

type InputOptions = {
  text?: string[] | undefined;
  crawl?: boolean | undefined;
  maxPages?: number | undefined;
  maxDepth?: number | undefined;
};

/** Returns the arguments. @throws LociError `nothing_to_do` without anything to upload, or with options of a crawl but no crawl */
function checkInput(
  target: UploadArguments,
  { text = [], crawl = false, maxPages, maxDepth }: InputOptions,
): UploadArguments {
  const { paths, urls } = target;
  const hasLimits = maxPages !== undefined || maxDepth !== undefined;
  if ((crawl && urls.length === 0) || (hasLimits && !crawl)) {
    const message = 'A crawl needs at least one URL and the option --crawl.';
    throw new LociError(message, { status: null, code: 'nothing_to_do' });
  }
  if (paths.length + urls.length + text.length === 0) {
    const message = 'Give something to upload: files, folders, URLs, or --text.';
    throw new LociError(message, { status: null, code: 'nothing_to_do' });
  }
  return target;
}

function printReport(shell: Shell, report: ReturnType<typeof createUploadReport>): void {
  if (report.failed.length > 0) shell.reportFailures();
  shell.print(report, formatUploadReport);
}

function splitArguments(given: readonly string[]): UploadArguments {
  const isUrl = (text: string) => /^https?:\/\//i.test(text);
  return { urls: given.filter(isUrl), paths: given.filter((text) => !isUrl(text)) };
}

type Replacement = 'all' | 'folders' | 'none';

function replacementOf({ replace, onDuplicate: same }: UploadCommandOptions): Replacement {
  if (replace === undefined) return same === 'keep' ? 'none' : 'folders';
  return replace ? 'all' : 'none';
}

/** Names the files by their paths. Of two files with the same path, only one can be the content of this path. */
function toInputs(files: readonly CollectedFile[], replacement: Replacement) {
  const inputs = new Map<string, FileInput>();
  const repeated: UploadFailure[] = [];
  for (const { path, contentPath, isInFolder } of files) {
    const replaces = replacement === 'all' || (replacement === 'folders' && isInFolder);
    const key = replaces ? contentPath : path;
    const name = nameOfPath(contentPath);
    if (inputs.has(key)) {
      const message = `Another file of this upload has the path ${contentPath}, too. Upload one of them by itself.`;
      repeated.push({ input: path, name, source: 'file', code: 'repeated_path', message });
    } else if (replaces) inputs.set(key, { path, name, externalId: externalIdOfPath(contentPath) });
    else inputs.set(key, isInFolder ? { path, name } : path);
  }
  return { files: [...inputs.values()], repeated };
}
