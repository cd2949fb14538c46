/**
 * Uploads to a receiver whose blobs are on a file system of the size 256 KiB, mounted on the folder in the first argument, and
 * prints what was answered and what was left on the disk, as JSON.
 */
import { readdir } from 'node:fs/promises';
import { startUploadReceiver, uploadForm } from './upload-receiver.ts';

const [, , folder = ''] = process.argv;
await using receiver = await startUploadReceiver({}, undefined, { parent: folder, keepsFiles: true });
const file = (name: string, sizeBytes: number) =>
  ['files', new File(['x'.repeat(sizeBytes)], name, { type: 'text/plain' })] as const;

const results: unknown[] = [];
for (const files of [
  [file('fits', 1_000)],
  [file('large', 900_000)],
  [file('small', 2_000), file('large', 900_000), file('another', 3_000)],
  [file('fills', 200_000)],
  [file('tiny', 70_000)],
]) {
  const { status, body } = await receiver.post(uploadForm(files));
  results.push({ status, code: body.code, detail: body.detail });
}
const entries = await readdir(receiver.dir, { recursive: true, withFileTypes: true });
const left = entries.filter((entry) => entry.isFile());
console.log(JSON.stringify({ results, left: left.length, temporary: (await receiver.temporaryFiles()).length }));
