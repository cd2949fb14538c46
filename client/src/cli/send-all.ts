import type { LociClient } from '../create-loci-client.ts';
import type { FileInput } from '../upload/upload-input.ts';
import type { UploadOptions, UploadResult, UploadTally } from '../upload/upload.ts';
import type { ReadyResult } from '../wait-until-ready.ts';
import { startProgress } from './progress-line.ts';
import type { Shell } from './shell.ts';

/** Sends everything with a progress bar. If it stops, it says how to continue. */
export async function sendAll(
  loci: LociClient,
  shell: Shell,
  options: UploadOptions & { files: FileInput[]; urls?: string[] },
): Promise<UploadResult> {
  const total = options.files.length + (options.urls ?? []).length + [...(options.texts ?? [])].length;
  const bar = startProgress('Sending  ', total, !shell.isJson());
  let done = 0;
  try {
    return await loci.upload({
      ...options,
      signal: shell.signal,
      onProgress(tally) {
        done = tally.sent + tally.present + tally.failed;
        bar.update(done, progressText(tally));
      },
    });
  } catch (error) {
    const advice = 'Run the same command again to continue; no item is uploaded twice.';
    // With --json, the error is JSON, too, and must stay so.
    if (!shell.isJson()) shell.printNote(`\nStopped after ${done} of ${total}. ${advice}`);
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

/** Waits with a progress bar until everything that was sent, or was being ingested already, is searchable or has failed. */
export async function waitForAll(loci: LociClient, shell: Shell, sent: UploadResult): Promise<ReadyResult> {
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
    if (shell.signal.aborted && !shell.isJson()) {
      shell.printNote('\nStopped waiting. What was sent is still ingested; run the same command again to continue.');
    }
    throw error;
  } finally {
    bar.stop();
  }
}
