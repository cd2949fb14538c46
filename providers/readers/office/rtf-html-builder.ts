import { escapeXml } from '#providers/readers/shared/xml.ts';

export type RtfCharacterStyle = { bold: boolean; italic: boolean };

/** The state of the text that a footnote or text box interrupts. */
type SuspendedText = {
  paragraph: string;
  level: number;
  isInTable: boolean;
  cells: string[];
  rows: string[];
  out: string[];
};

/** The sign before an item of a list: a dot, or a picture with a tab. */
const BULLET = /^(?:[•·]\s*|\p{So} *\t\s*)/u;

/** Builds the HTML of an RTF document: paragraphs, tables, footnotes and text boxes. */
export class RtfHtmlBuilder {
  /** Heading level of the paragraph; 0 for none. */
  level = 0;
  isInTable = false;
  #run = '';
  #runStyle: RtfCharacterStyle = { bold: false, italic: false };
  #paragraph = '';
  #cells: string[] = [];
  #rows: string[] = [];
  #out: string[] = [];
  readonly #interrupted: SuspendedText[] = [];
  /** Text boxes follow the paragraph that anchors them; notes are at the end of the document. */
  #boxes: string[] = [];
  readonly #notes: string[] = [];
  #length = 0;

  /** Approximate length of the output. */
  get length(): number {
    return this.#length;
  }

  /** Keeps text of one style in one run, so that no surrogate pair is split. */
  add(text: string, { bold, italic }: RtfCharacterStyle): void {
    if (bold !== this.#runStyle.bold || italic !== this.#runStyle.italic) this.#endRun();
    this.#runStyle = { bold, italic };
    this.#run += text;
    this.#length += text.length;
  }

  endParagraph(): void {
    this.#endRun();
    if (this.isInTable) {
      this.#paragraph += '<br>';
      return;
    }
    this.#endTable();
    const text = this.#paragraph.trim();
    this.#paragraph = '';
    const tag = this.level === 0 ? 'p' : `h${this.level}`;
    if (text !== '') this.#out.push(`<${tag}>${text.replace(BULLET, '- ')}</${tag}>`);
    this.#out.push(...this.#boxes.splice(0));
  }

  endCell(): void {
    this.#endRun();
    this.#cells.push(this.#paragraph.trim().replace(/(?:<br>)+$/, ''));
    this.#paragraph = '';
  }

  endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(`<tr>${this.#cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    this.#cells = [];
  }

  /** Starts a separate text, which ends with `closeDestination`. */
  openDestination(): void {
    this.#endRun();
    this.#interrupted.push({
      paragraph: this.#paragraph,
      level: this.level,
      isInTable: this.isInTable,
      cells: this.#cells,
      rows: this.#rows,
      out: this.#out,
    });
    [this.level, this.isInTable, this.#paragraph] = [0, false, ''];
    [this.#cells, this.#rows, this.#out] = [[], [], []];
  }

  closeDestination(kind: 'box' | 'note'): void {
    const before = this.#interrupted.pop();
    if (!before) return;
    const html = this.#finish();
    (kind === 'note' ? this.#notes : this.#boxes).push(html);
    [this.level, this.isInTable, this.#paragraph] = [before.level, before.isInTable, before.paragraph];
    [this.#cells, this.#rows, this.#out] = [before.cells, before.rows, before.out];
  }

  end(): string {
    while (this.#interrupted.length > 0) this.closeDestination('box');
    return this.#finish() + this.#notes.join('');
  }

  #finish(): string {
    this.isInTable = false;
    this.endParagraph();
    this.#endTable();
    return this.#out.join('');
  }

  /** Ends the table; remaining cells without a row end form the last row. */
  #endTable(): void {
    if (this.#cells.length > 0 && this.#paragraph.trim() !== '') this.endCell();
    this.endRow();
    if (this.#rows.length > 0) this.#out.push(`<table>${this.#rows.join('')}</table>`);
    this.#rows = [];
  }

  #endRun(): void {
    if (this.#run === '') return;
    const html = escapeXml(this.#run).replaceAll('\n', '<br>');
    const { bold, italic } = this.level === 0 ? this.#runStyle : { bold: false, italic: false };
    const strong = bold ? `<strong>${html}</strong>` : html;
    this.#paragraph += italic ? `<em>${strong}</em>` : strong;
    this.#run = '';
  }
}
