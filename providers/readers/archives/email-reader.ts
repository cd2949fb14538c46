import type { Address, Email } from 'postal-mime';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown, removeTitle } from '#providers/readers/shared/html-to-markdown.ts';
import { EMAIL, MSG } from '#providers/readers/shared/media-types.ts';
import { namedAttachments, parseEmail } from './parse-email.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

const MAX_TITLE_LENGTH = 300;
const MAX_ADDRESSES = 100;
/** A short text beside a longer page only says that the mail program shows no HTML. */
const MAX_NOTICE_LENGTH = 1_000;
const MIN_NOTICE_RATIO = 1.5;

/**
 * Reads e-mail messages, also those of Outlook: subject, addresses and date, then the body (of HTML and text, the one
 * with structure), then the names of the attachments.
 */
export const emailReader: Reader = {
  name: 'email',
  mediaTypes: [EMAIL, MSG],
  async read({ path, mediaType }, { maxTextBytes }) {
    const email = await parseEmail({ path, mediaType }, maxTextBytes);
    const builder = new TextBuilder(maxTextBytes).append(headOf(email)).append(await bodyOf(email));
    const names = namedAttachments(email).map(({ name }) => name);
    if (names.length > 0) builder.append(`\n\nAttachments: ${names.join(', ')}\n`);
    const title = (email.subject ?? '').trim().slice(0, MAX_TITLE_LENGTH);
    return builder.build({ attachment_count: names.length, ...(title === '' ? {} : { title }) });
  },
};

function headOf(email: Email): string {
  const lines = [
    ['From', email.from ? [email.from] : []],
    ['To', email.to ?? []],
    ['Cc', email.cc ?? []],
  ] as const;
  const shown = lines.flatMap(([name, addresses]) => {
    // A group without members (`undisclosed-recipients:;`) names nobody.
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

async function bodyOf({ html, text = '' }: Email): Promise<string> {
  if (html === undefined) return text;
  const hasStructure = /<(?:table|h[1-6]|ul|ol|pre|blockquote)[\s>]/i.test(html);
  const isNotice = text.length <= MAX_NOTICE_LENGTH && html.length > text.length;
  if (!hasStructure && !isNotice && text.trim() !== '') return text;
  const { markdown } = await htmlToMarkdown(removeTitle(html));
  const isLonger = markdown.length > MIN_NOTICE_RATIO * text.trim().length;
  return hasStructure || isLonger ? markdown : text;
}
