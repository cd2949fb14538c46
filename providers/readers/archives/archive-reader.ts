import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { ZIP } from '#providers/readers/media-types.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { zipParts } from '#providers/readers/shared/zip-parts.ts';

/** More names than anybody looks for in a list; the files themselves are all found. */
const LISTED = 2_000;

/** ZIP archives: what is in them. The files themselves become contents of their own (`unpack.ts`). */
export const archiveReader: Reader = {
  name: 'archive',
  mediaTypes: [ZIP],
  async read({ path, name }, { maxTextBytes }) {
    const lines: string[] = [];
    let files = 0;
    let links = 0;
    let sizeBytes = 0;
    for await (const item of zipParts(path)) {
      if (item === 'link') {
        links += 1;
        continue;
      }
      files += 1;
      sizeBytes += item.sizeBytes;
      if (files <= LISTED) lines.push(`- ${item.path}`);
    }
    if (files === 0) throw new AppError('no_text', 'The archive holds no files. Pack it anew with files in it.');
    const builder = new TextBuilder(maxTextBytes).append(`# ${name}\n\n${files} files:\n\n${lines.join('\n')}\n`);
    if (files > LISTED) builder.append(`\nand ${files - LISTED} more.\n`);
    return builder.build({
      entry_count: files,
      unpacked_bytes: sizeBytes,
      ...(links === 0 ? {} : { links_left_out: links }),
    });
  },
};
