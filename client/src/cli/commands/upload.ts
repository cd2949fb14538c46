import { stat } from 'node:fs/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { LociError } from '../../loci-error.ts';
import { unreadable } from '../../upload/upload-input.ts';
import type { UploadOptions, UploadResult, UploadTally } from '../../upload/upload.ts';
import type { ReadyResult } from '../../wait-until-ready.ts';
import { integer, jsonObject, repeated } from '../option-values.ts';
import { startProgress } from '../progress-line.ts';
import { collectionIdOf, type Shell } from '../shell.ts';
import { reportOf, summary } from '../upload-report.ts';
import { walkFiles } from '../walk-files.ts';

/** Enough to sit out a restart of the service: about 40 seconds. */
const RETRIES = 8;
const HELP = `
Folders are taken with all below them, without names that begin with a dot. What the collection has already, by name and
bytes, is not sent: run the same again to go on after an interruption. Exit code 1 when something was not taken, with the
list of what and why.`;

type Given = { paths: string[]; urls: string[] };
type Walk = { files: string[]; problems: UploadResult['failures'] };

/** `loci upload` */
export function addUpload(program: Command, shell: Shell): void {
  program
    .command('upload')
    .description('Upload files, folders, URLs and texts, and wait until they can be found')
    .argument('[path or url...]', 'files, folders with all below them, or http(s) addresses')
    .option('-c, --collection <id or name>', 'where to; the one of npm start by default')
    .option('--text <text>', 'a text, as a content of its own; may be repeated', repeated)
    .option('-m, --metadata <json>', `kept with every content, such as '{"lang":"en"}'`, jsonObject)
    .option('-d, --description <text>', 'kept with every content')
    .option('--reader <name>', 'how files are read; by content by default')
    .addOption(
      new Option('--on-duplicate <what>', 'for the same bytes under the same name').choices([
        'existing',
        'keep',
      ] as const),
    )
    .option('--crawl', 'follow the links of the addresses, each on its own site')
    .option('--max-pages <n>', 'most pages of a crawl; 100 by default', integer(1, 1_000_000))
    .option('--max-depth <n>', 'most links from the address to a page of a crawl; 3 by default', integer(0, 50))
    .option('--store-only', 'do not read and index yet')
    .option('--hidden', 'take what begins with a dot, too')
    .option('--no-wait', 'do not wait until everything can be found')
    .addHelpText('after', HELP)
    .action(async (given, options) => {
      const target = splitGiven(given);
      const hasLimits = options.maxPages !== undefined || options.maxDepth !== undefined;
      if ((options.crawl === true && target.urls.length === 0) || (hasLimits && options.crawl !== true)) {
        const message = 'A crawl starts from an address: name one, with --crawl.';
        throw new LociError(message, { status: null, code: 'nothing_to_do' });
      }
      if (given.length === 0 && (options.text ?? []).length === 0) {
        throw new LociError('Name something to upload: files, folders, URLs, or --text.', {
          status: null,
          code: 'nothing_to_do',
        });
      }
      const collectionId = await collectionIdOf(shell.open(), options.collection);
      const walk = await walkAll(target.paths, options.hidden === true);
      const loci = shell.open({ retries: RETRIES });
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
      const report = reportOf(collectionId, sent, ready);
      if (report.failed.length > 0) shell.onFailures();
      shell.print(report, summary);
    });
}

function splitGiven(given: readonly string[]): Given {
  const isUrl = (text: string) => /^https?:\/\//i.test(text);
  return { urls: given.filter(isUrl), paths: given.filter((text) => !isUrl(text)) };
}

async function walkAll(paths: readonly string[], hidden: boolean): Promise<Walk> {
  const walk: Walk = { files: [], problems: [] };
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) {
      // One that is not there is told by the upload.
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
          message: unreadable(found.problem),
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
    shell.remark(`\nStopped after ${done} of ${total}. Run the same again to go on: nothing is taken twice.`);
    throw error;
  } finally {
    bar.stop();
  }
}

function progressText({ bytes, present, failed }: UploadTally): string {
  const parts = [`${(bytes / 1024 / 1024).toFixed(1)} MiB`];
  if (present > 0) parts.push(`${present} there already`);
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
          // A crawl finds more and more.
          bar.grow(settledBefore + total);
          bar.update(settledBefore + settled, failed > 0 ? `${failed} failed` : '');
        },
      },
    );
  } catch (error) {
    if (shell.signal.aborted)
      shell.remark('\nEverything was taken; its ingestion goes on. loci contents list shows how far it is.');
    throw error;
  } finally {
    bar.stop();
  }
}
