import { readFile } from 'node:fs/promises';
import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import iconv from 'iconv-lite';
import type { Address, Attachment, Email } from 'postal-mime';
import { AppError } from '#domain/app-error.ts';
import { MSG } from '#providers/readers/shared/media-types.ts';
import { rtfToHtml } from '#providers/readers/office/rtf-to-html.ts';
import { outputLimitError } from '#providers/readers/shared/text-builder.ts';

/** The package is a CommonJS module; its default export is a property of the imported value. */
const { default: MsgReader } = msgReader;
type MsgReader = InstanceType<typeof MsgReader>;

/**
 * Code pages of [MS-OXCMSG] that do not identify an encoding: Unicode properties have a type of their own, and ASCII
 * has no other characters.
 */
const UNINFORMATIVE_CODE_PAGES = new Set([1200, 1201, 20127]);
const DEFAULT_ENCODING = 'windows-1252';
/** Size of the header before the compressed RTF; its second number is the uncompressed size ([MS-OXRTFCP]). */
const RTF_HEADER_BYTES = 16;

/**
 * Parses an Outlook message (.msg, [MS-OXMSG]) into the result type of `parseEmail`. @throws AppError `unreadable`,
 * `read_output_limit` when its body decompresses to more than the text limit.
 */
export async function parseOutlook(path: string, maxTextBytes: number): Promise<Email> {
  // The parser reads the whole buffer behind a view, so it gets a buffer of its own.
  const bytes = new Uint8Array(await readFile(path)).buffer;
  try {
    const { reader, fields } = open(bytes);
    return {
      headers: [],
      headerLines: [],
      ...(fields.subject === undefined ? {} : { subject: fields.subject }),
      from: addressOf(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
      to: recipientsOf(fields, 'to'),
      cc: recipientsOf(fields, 'cc'),
      ...dateOf(fields),
      ...bodiesOf(fields, maxTextBytes),
      attachments: (fields.attachments ?? []).flatMap((attachment) => attachmentOf(reader, attachment)),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'unreadable',
      'The Outlook message cannot be read: it is damaged. Open it, save it again or as .eml, and upload the result.',
      { cause: error },
    );
  }
}

/**
 * Texts that are not Unicode use the code page that the message declares, so a message with another one is parsed
 * again.
 */
function open(bytes: ArrayBuffer): { reader: MsgReader; fields: FieldsData } {
  const parse = (ansiEncoding: string) => {
    const reader = new MsgReader(bytes);
    reader.parserConfig = { ansiEncoding };
    const fields = reader.getFileData();
    if (fields.error !== undefined) throw new Error(fields.error);
    return { reader, fields };
  };
  const first = parse(DEFAULT_ENCODING);
  const encoding = encodingOf(first.fields.messageCodepage ?? first.fields.internetCodepage);
  return encoding === DEFAULT_ENCODING ? first : parse(encoding);
}

function encodingOf(codePage: number | undefined): string {
  if (codePage === undefined || UNINFORMATIVE_CODE_PAGES.has(codePage)) return DEFAULT_ENCODING;
  if (codePage === 65_001) return 'utf8';
  const name = String(codePage);
  return iconv.encodingExists(name) ? name : DEFAULT_ENCODING;
}

/** Addresses within an organization are names in its directory, which are meaningless outside. */
function addressOf(name: string | undefined, address: string | undefined): Address {
  return { name: name ?? '', address: address?.includes('@') === true ? address : (name ?? '') };
}

function recipientsOf({ recipients = [] }: FieldsData, kind: 'to' | 'cc'): Address[] {
  return recipients
    .filter(({ recipType }) => recipType === kind)
    .map(({ name, smtpAddress, email }) => addressOf(name, smtpAddress ?? email));
}

function dateOf({ clientSubmitTime, messageDeliveryTime }: FieldsData): { date?: string } {
  const time = new Date(clientSubmitTime ?? messageDeliveryTime ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? {} : { date: time.toISOString() };
}

/** The body; a message has one or several kinds. The RTF body is used only when there is no other. */
function bodiesOf(fields: FieldsData, maxTextBytes: number): { html?: string; text?: string } {
  const html =
    fields.bodyHtml ?? (fields.html && iconv.decode(Buffer.from(fields.html), encodingOf(fields.internetCodepage)));
  const text = fields.body;
  if (html !== undefined || text?.trim() || fields.compressedRtf === undefined) {
    return { ...(html === undefined ? {} : { html }), ...(text === undefined ? {} : { text }) };
  }
  return { html: htmlOf(fields.compressedRtf, maxTextBytes) };
}

function htmlOf(compressed: Uint8Array, maxTextBytes: number): string {
  const header = Buffer.from(compressed.subarray(0, RTF_HEADER_BYTES));
  if (header.length < RTF_HEADER_BYTES) return '';
  if (header.readUInt32LE(4) > maxTextBytes) throw outputLimitError(maxTextBytes);
  const rtf = Buffer.from(decompressRTF([...compressed])).toString('latin1');
  const html = rtfToHtml(rtf, maxTextBytes * 2);
  if (html === null) throw outputLimitError(maxTextBytes);
  return html;
}

/**
 * Embedded messages are attached as messages; attachments without content, such as links to files elsewhere, are
 * omitted.
 */
function attachmentOf(reader: MsgReader, fields: FieldsData): Attachment[] {
  const isMessage = fields.innerMsgContent === true;
  if (!isMessage && (fields.contentLength ?? 0) === 0) return [];
  const { fileName, content } = reader.getAttachment(fields);
  return [
    {
      filename: isMessage && !fileName.toLowerCase().endsWith('.msg') ? `${fileName}.msg` : fileName,
      mimeType: isMessage ? MSG : (fields.attachMimeTag ?? 'application/octet-stream'),
      disposition: 'attachment',
      related: fields.attachmentHidden === true,
      content,
    },
  ];
}
