import { assertNever } from '#domain/app-error.ts';
import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';
import { plainTexText, TEX_ACCENTS, TEX_DROPPED, TEX_SYMBOLS } from './tex-symbols.ts';
import { environmentLabel, TEX_ENVIRONMENTS } from './tex-environments.ts';
import { enabledTexTokens } from './enabled-tex-tokens.ts';
import type { TexToken } from './tex-tokens.ts';

const SECTIONS = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];
const STRONG = new Set(['textbf', 'textsc']);
const EMPHASIS = new Set(['emph', 'textit', 'textsl']);
const CITATIONS = new Set(['cite', 'citep', 'citet', 'parencite', 'autocite']);
const CODE = new Set(['texttt', 'code', 'lstinline', 'verb', 'path']);
const MAX_DEPTH = 200;
const MAX_SPAN = 30;
const MAX_INDENT = 8;
const [ROW, CELL] = ['\u0001', '\u0002'];

/** Converts a LaTeX document to Markdown. Expands no macros and includes no other files; formulas stay LaTeX. */
export function texToMarkdown(source: string): string {
  const start = source.indexOf('\\begin{document}');
  const preamble = new TexConverter(enabledTexTokens(start === -1 ? '' : source.slice(0, start)));
  preamble.convert();
  const body = new TexConverter(enabledTexTokens(start === -1 ? source : source.slice(start)), preamble.title !== '');
  const text = body.convert();
  const title = preamble.title || body.title;
  const author = preamble.author || body.author;
  const head = [title === '' ? '' : `# ${title}`, author].filter((part) => part !== '').join('\n\n');
  return `${head}\n\n${text}`
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .normalize('NFC');
}

class TexConverter {
  readonly #tokens: TexToken[];
  /** The highest section command in use, which becomes the highest heading. */
  readonly #base: number;
  readonly #shift: number;
  #at = 0;
  #depth = 0;
  #tables = 0;
  readonly #lists: string[] = [];
  title = '';
  author = '';

  constructor(tokens: TexToken[], hasTitle = false) {
    this.#tokens = tokens;
    const used = new Set(tokens.map((token) => (token.kind === 'command' ? token.name : '')));
    const first = SECTIONS.findIndex((name) => used.has(name));
    this.#base = Math.max(0, first);
    this.#shift = hasTitle || used.has('title') ? 1 : 0;
  }

  convert(): string {
    const parts: string[] = [];
    // A superfluous closing brace ends no group.
    while (this.#at < this.#tokens.length) parts.push(this.#group());
    return parts.join('');
  }

  /** Renders up to the end of the group or environment, and passes over it. */
  #group(): string {
    const parts: string[] = [];
    this.#depth += 1;
    for (let token = this.#next(); token && token.kind !== 'close'; token = this.#next()) {
      if (token.kind === 'command' && token.name === 'end') {
        this.#argument();
        break;
      }
      parts.push(this.#render(token));
    }
    this.#depth -= 1;
    return parts.join('');
  }

  #next(): TexToken | undefined {
    this.#at += 1;
    return this.#tokens[this.#at - 1];
  }

  #render(token: TexToken): string {
    switch (token.kind) {
      case 'text':
        return this.#tables > 0 ? plainTexText(token.text).replaceAll('&', CELL) : plainTexText(token.text);
      case 'math':
        return token.isDisplay && this.#tables === 0 ? `\n\n$$${token.text}$$\n\n` : `$${token.text}$`;
      case 'address':
        return token.name === 'href' ? `[${this.#argument()}](${token.address})` : token.address;
      case 'code':
        return enclosed('`', token.text);
      case 'verbatim':
        return `\n\n${fencedCode(token.text, token.language)}\n`;
      case 'open':
        return this.#depth > MAX_DEPTH ? '' : this.#group();
      case 'command':
        return this.#command(token.name);
      case 'close':
        return '';
      default:
        return assertNever(token);
    }
  }

  #command(name: string): string {
    const dropped = TEX_DROPPED.get(name);
    if (dropped !== undefined) {
      for (let count = 0; count < dropped; count += 1) this.#argument();
      return '';
    }
    const accent = TEX_ACCENTS.get(name);
    if (accent !== undefined) {
      const letter = this.#argument().replace('ı', 'i');
      return letter.slice(0, 1) + accent + letter.slice(1);
    }
    if (name === '\\') {
      this.#optional();
      return this.#tables > 0 ? ROW : '\n';
    }
    const symbol = TEX_SYMBOLS.get(name);
    if (symbol !== undefined) return symbol;
    if (STRONG.has(name)) return enclosed('**', this.#argument());
    if (EMPHASIS.has(name)) return enclosed('*', this.#argument());
    if (CITATIONS.has(name)) return `[${this.#argument()}]`;
    if (CODE.has(name)) return enclosed('`', this.#argument());
    if (SECTIONS.includes(name)) {
      const level = Math.min(6, SECTIONS.indexOf(name) - this.#base + 1 + this.#shift);
      return `\n\n${'#'.repeat(level)} ${oneLine(this.#argument())}\n\n`;
    }
    return this.#textCommand(name);
  }

  #textCommand(name: string): string {
    switch (name) {
      case 'begin':
        return this.#environment(this.#argument());
      case 'title':
        this.title = oneLine(this.#argument());
        return '';
      case 'author':
        this.author = oneLine(this.#argument());
        return '';
      case 'item':
        return this.#item();
      case 'multicolumn': {
        const columns = Math.min(MAX_SPAN, Number(this.#argument()) || 1);
        this.#argument();
        return Array.from({ length: columns })
          .fill(this.#argument())
          .join(this.#tables > 0 ? CELL : ' ');
      }
      case 'bibitem':
        return `\n- [${this.#argument()}] `;
      case 'footnote':
      case 'thanks':
        return ` (${oneLine(this.#argument())})`;
      case 'caption':
        return `\n\n${oneLine(this.#argument())}\n\n`;
      default:
        // Of an unknown command the arguments are kept: they follow as groups.
        return '';
    }
  }

  #environment(name: string): string {
    if (this.#depth > MAX_DEPTH) return '';
    if (TEX_ENVIRONMENTS.tables.has(name)) return this.#table(name);
    const list = TEX_ENVIRONMENTS.lists.get(name);
    if (list !== undefined) {
      this.#optional();
      this.#lists.push(list);
      const text = this.#group();
      this.#lists.pop();
      return `\n${text}\n`;
    }
    if (name === 'comment' || name === 'tikzpicture') return this.#group().slice(0, 0);
    const note = this.#optional();
    if (name === 'thebibliography') this.#argument();
    return `\n\n${environmentLabel(name, note)}${this.#group().trim()}\n\n`;
  }

  #item(): string {
    const label = this.#optional();
    const prefix = this.#lists.at(-1) ?? '- ';
    const indent = '   '.repeat(Math.min(MAX_INDENT, Math.max(0, this.#lists.length - 1)));
    return `\n${indent}${prefix}${label === '' ? '' : `**${label}**`}`;
  }

  /** Rules between rows are commands without text; cells and rows are marked while the table is rendered. */
  #table(name: string): string {
    if (name === 'tabular*' || name === 'tabularx' || name === 'tabulary') this.#argument();
    this.#argument();
    this.#tables += 1;
    const content = this.#group();
    this.#tables -= 1;
    const rows = content
      .split(ROW)
      .map((row) => row.split(CELL).map(oneLine))
      .filter((row) => row.some((cell) => cell !== ''));
    if (this.#tables > 0) return rows.flat().join(' ');
    return rows.length === 0 ? '' : `\n\n${markdownTable(rows)}\n\n`;
  }

  /** The next argument: a group, a command or a single character. Optional ones before it are passed over. */
  #argument(): string {
    this.#optional();
    while (this.#isBlank()) this.#at += 1;
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === 'close') return '';
    if (token.kind !== 'text') {
      this.#at += 1;
      return this.#depth > MAX_DEPTH ? '' : this.#nested(token);
    }
    const text = token.text.trimStart();
    this.#tokens[this.#at] = { kind: 'text', text: text.slice(1) };
    return text.charAt(0);
  }

  /** An argument may be a command with arguments of its own, and so on. */
  #nested(token: TexToken): string {
    this.#depth += 1;
    const text = this.#render(token);
    this.#depth -= 1;
    return text;
  }

  #isBlank(): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'text' && token.text.trim() === '';
  }

  /** An optional argument in brackets; empty when there is none. */
  #optional(): string {
    const token = this.#tokens[this.#at];
    const [found, inside = ''] = token?.kind === 'text' ? (/^\s{0,20}\[([^\]]{0,300})\]/.exec(token.text) ?? []) : [];
    if (found === undefined || token?.kind !== 'text') return '';
    this.#tokens[this.#at] = { kind: 'text', text: token.text.slice(found.length) };
    return inside.trim();
  }
}

function enclosed(mark: string, text: string): string {
  const inner = text.trim();
  return inner === '' || inner.includes('\n\n') ? text : `${mark}${inner}${mark}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
