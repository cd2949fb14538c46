import { stat } from 'node:fs/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { LociError } from '../../loci-error.ts';
import { unreadableReason } from '../../upload/upload-input.ts';
import type { UploadOptions, UploadResult, UploadTally } from '../../upload/upload.ts';
import type { ReadyResult } from '../../wait-until-ready.ts';
import { parseInteger, parseJsonObject, collectRepeated } from '../option-parsers.ts';
import { startProgress } from '../progress-line.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { createUploadReport, formatUploadReport } from '../upload-report.ts';
import { walkFiles } from '../walk-files.ts';

/** Enough for a restart of the service: about 40 seconds. */
const RETRIES = 8;
const HELP = `
Folders are uploaded with all their subfolders, without names that begin with a dot. Files that the collection already has,
by name and bytes, are not sent: to continue after an interruption, run the same command again. The exit code is 1 if items
failed; they are listed with the reason.`;

type UploadArguments = { paths: string[]; urls: string[] };
type WalkResult = { files: string[]; problems: UploadResult['failures'] };

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
    .addOption(onDuplicate())
    .option('--crawl', 'follow the links of each URL within its site')
    .option('--max-pages <n>', 'maximum number of pages of a crawl; default 100', parseInteger(1, 1_000_000))
    .option('--max-depth <n>', 'maximum number of links from the URL to a page; default 3', parseInteger(0, 50))
    .option('--store-only', 'store only, do not ingest')
    .option('--hidden', 'include names that begin with a dot')
    .option('--no-wait', 'do not wait until everything is searchable')
    .addHelpText('after', HELP)
    .action(async (given, options) => {
      const target = checkInput(splitArguments(given), options);
      const collectionId = await resolveCollectionId(shell.openClient(), options.collection);
      const walk = await walkAll(target.paths, options.hidden === true);
      const loci = shell.openClient({ retries: RETRIES });
      const sent = await sendAll(loci, shell, {
        collectionId,
        files: walk.files,
        urls: target.urls,
        texts: options.text,
        metadata: options.metadata,
        description: options.description,
        reader: options.reader,
        onDuplicate: options.onDuplicate,
        ingest: options.storeOnly === true ? false : undefined,
        crawl: options.crawl === true && { maxPages: options.maxPages, maxDepth: options.maxDepth },
      });
      sent.failures.unshift(...walk.problems);
      const ready = options.wait ? await waitForAll(loci, shell, sent) : null;
      printReport(shell, createUploadReport(collectionId, sent, ready));
    });
}

function onDuplicate() {
  const option = new Option('--on-duplicate <what>', 'what to do for the same bytes with the same name');
  return option.choices(['existing', 'keep'] as const);
}

type InputOptions = {
  text?: readonly string[] | undefined;
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

async function walkAll(paths: readonly string[], hidden: boolean): Promise<WalkResult> {
  const walk: WalkResult = { files: [], problems: [] };
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) {
      // The upload reports files that do not exist.
      walk.files.push(path);
      continue;
    }
    for await (const found of walkFiles(path, { hidden })) {
      if (!('problem' in found)) walk.files.push(found.path);
      else
        walk.problems.push({
          input: found.path,
          name: found.path,
          source: 'file',
          code: 'unreadable_file',
          message: unreadableReason(found.problem),
        });
    }
  }
  return walk;
}

async function sendAll(
  loci: LociClient,
  shell: Shell,
  options: UploadOptions & { files: string[]; urls: string[] },
): Promise<UploadResult> {
  const total = options.files.length + options.urls.length + [...(options.texts ?? [])].length;
  const bar = startProgress('Sending  ', total, !shell.isJson());
  let done = 0;
  try {
    return await loci.upload({
      ...options,
      skipPresent: true,
      signal: shell.signal,
      onProgress(tally) {
        done = tally.sent + tally.present + tally.failed;
        bar.update(done, progressText(tally));
      },
    });
  } catch (error) {
    shell.printNote(
      `\nStopped after ${done} of ${total}. Run the same command again to continue; no item is uploaded twice.`,
    );
    throw error;
  } finally {
    bar.stop();
  }
}

function progressText({ bytes, present, failed }: UploadTally): string {
  const parts = [`${(bytes / 1024 / 1024).toFixed(1)} MiB`];
  if (present > 0) parts.push(`${present} already present`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(', ');
}

async function waitForAll(loci: LociClient, shell: Shell, sent: UploadResult): Promise<ReadyResult> {
  const present = sent.items.filter(({ upload_id }) => upload_id === null).map(({ content_id }) => content_id);
  const unsettled = sent.items.filter(
    ({ upload_id, status }) => upload_id === null && status !== 'ready' && status !== 'stored',
  );
  const bar = startProgress('Ingesting', sent.items.length, !shell.isJson());
  const settledBefore = present.length - unsettled.length;
  try {
    return await loci.waitUntilReady(
      { uploadIds: sent.uploadIds, contentIds: unsettled.map(({ content_id }) => content_id) },
      {
        signal: shell.signal,
        onProgress({ settled, total, byStatus }) {
          const failed = byStatus.failed ?? 0;
          // A crawl keeps finding pages.
          bar.grow(settledBefore + total);
          bar.update(settledBefore + settled, failed > 0 ? `${failed} failed` : '');
        },
      },
    );
  } catch (error) {
    if (shell.signal.aborted)
      shell.printNote('\nAll items were uploaded; their ingestion continues. loci contents list shows the progress.');
    throw error;
  } finally {
    bar.stop();
  }
}
