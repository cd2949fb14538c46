import { readFile, stat } from 'node:fs/promises';
import type { Attachment, Email } from 'postal-mime';
import { AppError } from '#domain/app-error.ts';
import { EMAIL, extensionOf, MSG } from '#providers/readers/shared/media-types.ts';
import { sanitizePath } from '#providers/readers/shared/archive-entry.ts';
import { outputLimitError } from '#providers/readers/shared/text-builder.ts';

/** Attachments make a message this many times its text. */
const MAX_SIZE_RATIO = 8;
const MAX_NESTING = 40;
const MAX_HEADERS_BYTES = 1024 * 1024;
/** What mail programs attach for one another: signatures and keys. */
const SIGNATURE_TYPE = /^application\/(?:x-)?(?:pkcs7-signature|pgp-signature|pgp-keys)$/;

/** An attachment that is worth reading, with a name. */
export type NamedAttachment = { name: string; attachment: Attachment };

export type MessageFile = { path: string; mediaType: string };

/**
 * Takes an e-mail message apart, by the standard (.eml) or of Outlook (.msg); messages inside it are attachments.
 * @throws AppError `unreadable`, `read_output_limit` for one that is longer than any text would be.
 */
export async function parseEmail({ path, mediaType }: MessageFile, maxTextBytes: number): Promise<Email> {
  const { size } = await stat(path);
  if (size > maxTextBytes * MAX_SIZE_RATIO) throw outputLimitError(maxTextBytes);
  if (mediaType !== MSG) return parseMimeMessage(path);
  const { parseOutlook } = await import('./parse-outlook.ts');
  return parseOutlook(path, maxTextBytes);
}

async function parseMimeMessage(path: string): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  const options = {
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADERS_BYTES,
    forceRfc822Attachments: true,
  };
  return PostalMime.parse(await readFile(path), options).catch((error: unknown) => {
    const reason = `its headers are longer than ${MAX_HEADERS_BYTES / 1024} KiB or its parts nested more than ${MAX_NESTING} deep`;
    throw new AppError(
      'unreadable',
      `The e-mail message cannot be read: it is damaged, ${reason}. Save its text and upload that.`,
      { cause: error },
    );
  });
}

/** What is attached, but for pictures that the text shows itself, and signatures. */
export function namedAttachments({ attachments }: Email): NamedAttachment[] {
  return attachments
    .filter(({ related, mimeType }) => !(related === true && mimeType.startsWith('image/')))
    .filter(({ mimeType }) => !SIGNATURE_TYPE.test(mimeType))
    .map((attachment, index) => ({ name: nameOf(attachment, index + 1), attachment }));
}

function nameOf({ filename, mimeType }: Attachment, number: number): string {
  const given = filename?.trim() ?? '';
  // A slash in a name is no folder here.
  if (given !== '') return sanitizePath(given.replaceAll(/[/\\]/g, '_'));
  if (mimeType === EMAIL) return `message-${number}.eml`;
  if (mimeType === MSG) return `message-${number}.msg`;
  const extension = extensionOf(mimeType);
  return `attachment-${number}${extension === null ? '' : `.${extension}`}`;
}
