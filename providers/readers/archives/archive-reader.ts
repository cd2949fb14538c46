import { archiveItems } from './archive-items.ts';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { ARCHIVE_TYPES } from '#providers/readers/shared/media-types.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Names in the list; files beyond it are still contents of their own. */
const MAX_LISTED_FILES = 2_000;

/** Reads ZIP and TAR archives and gzip files as a list of their files. The files themselves become contents of their own (`unpack.ts`). */
export const archiveReader: Reader = {
  name: 'archive',
  mediaTypes: ARCHIVE_TYPES,
  async read({ path, name, mediaType }, { maxTextBytes }) {
    const lines: string[] = [];
    let files = 0;
    let links = 0;
    let sizeBytes = 0;
    for await (const item of archiveItems({ path, mediaType, name })) {
      if (item === 'link') {
        links += 1;
        continue;
      }
      files += 1;
      sizeBytes += item.sizeBytes;
      if (files <= MAX_LISTED_FILES) lines.push(`- ${item.path}`);
    }
    if (files === 0) throw new AppError('no_text', 'The archive contains no files. Upload one with files in it.');
    const builder = new TextBuilder(maxTextBytes).append(`# ${name}\n\n${files} files:\n\n${lines.join('\n')}\n`);
    if (files > MAX_LISTED_FILES) builder.append(`\nand ${files - MAX_LISTED_FILES} more.\n`);
    return builder.build({
      entry_count: files,
      unpacked_bytes: sizeBytes,
      ...(links === 0 ? {} : { links_left_out: links }),
    });
  },
};
