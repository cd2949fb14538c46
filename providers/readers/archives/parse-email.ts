import { readFile, stat } from 'node:fs/promises';
import type { Attachment, Email } from 'postal-mime';
import { AppError } from '#domain/app-error.ts';
import { EMAIL, extensionOf, MSG } from '#providers/readers/shared/media-types.ts';
import { sanitizePath } from '#providers/readers/shared/archive-entry.ts';
import { charsetOfByteOrderMark, decodeText, detectUtf16WithoutMark } from '#providers/readers/shared/decode-text.ts';
import { outputLimitError } from '#providers/readers/shared/text-builder.ts';
import { decodeUnmarkedEmailText } from './unmarked-email-text.ts';

/** Attachments may make a message this many times larger than the text limit. */
const MAX_SIZE_RATIO = 8;
const MAX_NESTING = 40;
const MAX_HEADERS_BYTES = 1024 * 1024;
/** Attachments for mail programs: signatures and keys. */
const SIGNATURE_TYPE = /^application\/(?:x-)?(?:pkcs7-signature|pgp-signature|pgp-keys)$/;

const BLANK_LINE = /(\r?\n\r?\n)/;
const TEXT_PART = /^content-type:[ \t]*text\//im;
const ENCODED_PART = /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/im;
const CHARSET = /(charset[ \t]*=[ \t]*)"?[\w.:-]+"?/i;

/** An attachment for people to read, with a name. */
export type NamedAttachment = { name: string; attachment: Attachment };

export type MessageFile = { path: string; mediaType: string };

/**
 * Parses an e-mail message, in the standard format (.eml) or that of Outlook (.msg); messages inside it are
 * attachments.
 * @throws AppError `unreadable`, `read_output_limit` for a message that is larger than the text limit allows.
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
  return PostalMime.parse(inUtf8(await readFile(path)), options).catch((error: unknown) => {
    const reason = `its headers are longer than ${MAX_HEADERS_BYTES / 1024} KiB or its parts are nested more than ${MAX_NESTING} levels deep`;
    throw new AppError(
      'unreadable',
      `The e-mail message cannot be read: it is damaged, ${reason}. Save its text and upload that instead.`,
      { cause: error },
    );
  });
}

/**
 * Some programs save messages in UTF-16, or begin them with a byte order mark, which is no header. The charsets of parts apply to
 * encoded ones only, then.
 */
function inUtf8(bytes: Buffer): Buffer | string {
  if (charsetOfByteOrderMark(bytes) === null && detectUtf16WithoutMark(bytes) === null)
    return decodeUnmarkedEmailText(bytes);
  const blocks = decodeText(bytes)
    .text.replace(/^\ufeff/, '')
    .split(BLANK_LINE);
  const isPlainText = (headers: string): boolean => TEXT_PART.test(headers) && !ENCODED_PART.test(headers);
  return blocks.map((block) => (isPlainText(block) ? block.replace(CHARSET, '$1utf-8') : block)).join('');
}

/** The attachments, except images embedded in the text, and signatures. */
export function namedAttachments({ attachments }: Email): NamedAttachment[] {
  return attachments
    .filter(({ related, mimeType }) => !(related === true && mimeType.startsWith('image/')))
    .filter(({ mimeType }) => !SIGNATURE_TYPE.test(mimeType))
    .map((attachment, index) => ({ name: nameOf(attachment, index + 1), attachment }));
}

function nameOf({ filename, mimeType }: Attachment, number: number): string {
  const given = filename?.trim() ?? '';
  // A slash in an attachment's name is not a folder separator.
  if (given !== '') return sanitizePath(given.replaceAll(/[/\\]/g, '_'));
  if (mimeType === EMAIL) return `message-${number}.eml`;
  if (mimeType === MSG) return `message-${number}.msg`;
  const extension = extensionOf(mimeType);
  return `attachment-${number}${extension === null ? '' : `.${extension}`}`;
}
