import { readFile, stat } from 'node:fs/promises';
import type { Address, Email } from 'postal-mime';
import { AppError } from '../../domain/app-error.ts';
import type { Reader } from '../../domain/reader.ts';
import { htmlToMarkdown, withoutTitle } from './html-to-markdown.ts';
import { EMAIL } from './media-types.ts';
import { outputLimitError, TextBuilder } from './text-builder.ts';

/** Attachments make a message this many times its text. */
const MESSAGE_RATIO = 8;
const MAX_NESTING = 40;
const MAX_HEADERS_BYTES = 1024 * 1024;
const MAX_TITLE_LENGTH = 300;
const MAX_ADDRESSES = 100;

/** E-mail messages: subject, who and when, then the body (of both kinds the one with structure), then the names of what is attached. */
export const emailReader: Reader = {
  name: 'email',
  mediaTypes: [EMAIL],
  async read({ path }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MESSAGE_RATIO) throw outputLimitError(maxTextBytes);
    const { default: PostalMime } = await import('postal-mime');
    const limits = { maxNestingDepth: MAX_NESTING, maxHeadersSize: MAX_HEADERS_BYTES };
    const email = await PostalMime.parse(await readFile(path), limits).catch((error: unknown) => {
      const reason = `its headers are longer than ${MAX_HEADERS_BYTES / 1024} KiB or its parts nested more than ${MAX_NESTING} deep`;
      throw new AppError(
        'unreadable',
        `The e-mail message cannot be read: it is damaged, ${reason}. Save its text and upload that.`,
        {
          cause: error,
        },
      );
    });
    const builder = new TextBuilder(maxTextBytes).append(headOf(email)).append(await bodyOf(email));
    const names = email.attachments.map(({ filename }) => filename?.trim() ?? '').filter((name) => name !== '');
    if (names.length > 0) builder.append(`\n\nAttachments: ${names.join(', ')}\n`);
    const title = (email.subject ?? '').trim().slice(0, MAX_TITLE_LENGTH);
    return builder.build({ attachment_count: email.attachments.length, ...(title === '' ? {} : { title }) });
  },
};

function headOf(email: Email): string {
  const lines = [
    ['From', email.from ? [email.from] : []],
    ['To', email.to ?? []],
    ['Cc', email.cc ?? []],
  ] as const;
  const shown = lines.flatMap(([name, addresses]) => {
    // A group without members hides who they are.
    const names = addresses.slice(0, MAX_ADDRESSES).flatMap(namesOf);
    return names.length === 0 ? [] : [`${name}: ${names.join(', ')}`];
  });
  const date = email.date ? [`Date: ${email.date}`] : [];
  const subject = (email.subject ?? '').replace(/\s+/g, ' ').trim();
  return `${subject === '' ? '' : `# ${subject}\n\n`}${[...shown, ...date].join('\n')}\n\n`;
}

function namesOf(address: Address): string[] {
  if (address.group) return address.group.flatMap(namesOf);
  const mail = address.address ?? '';
  return [address.name === '' || address.name === mail ? mail : `${address.name} <${mail}>`];
}

async function bodyOf({ html, text }: Email): Promise<string> {
  const hasStructure = html !== undefined && /<(?:table|h[1-6]|ul|ol|pre|blockquote)[\s>]/i.test(html);
  if (html !== undefined && (hasStructure || !text?.trim())) return (await htmlToMarkdown(withoutTitle(html))).markdown;
  return text ?? '';
}
