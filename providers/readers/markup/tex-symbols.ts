/** Commands that stand for a text. */
export const TEX_SYMBOLS: ReadonlyMap<string, string> = new Map([
  ...Array.from('%&#_{}$', (character): [string, string] => [character, character]),
  ['\\', '\n'],
  [' ', ' '],
  [',', ' '],
  [';', ' '],
  [':', ' '],
  ['/', ''],
  ['-', ''],
  ['@', ''],
  ['ss', 'ß'],
  ['ae', 'æ'],
  ['AE', 'Æ'],
  ['oe', 'œ'],
  ['OE', 'Œ'],
  ['o', 'ø'],
  ['O', 'Ø'],
  ['aa', 'å'],
  ['AA', 'Å'],
  ['l', 'ł'],
  ['L', 'Ł'],
  ['i', 'ı'],
  ['S', '§'],
  ['P', '¶'],
  ['copyright', '©'],
  ['pounds', '£'],
  ['euro', '€'],
  ['texteuro', '€'],
  ['dots', '…'],
  ['ldots', '…'],
  ['textellipsis', '…'],
  ['textendash', '–'],
  ['textemdash', '—'],
  ['textbackslash', '\\'],
  ['textasciitilde', '~'],
  ['textasciicircum', '^'],
  ['textbar', '|'],
  ['textless', '<'],
  ['textgreater', '>'],
  ['textdegree', '°'],
  ['textregistered', '®'],
  ['texttrademark', '™'],
  ['LaTeX', 'LaTeX'],
  ['TeX', 'TeX'],
  ['quad', ' '],
  ['qquad', ' '],
  ['newline', '\n'],
  ['linebreak', '\n'],
  ['par', '\n\n'],
  ['today', ''],
]);

/** Accents as combining characters, which follow the letter. */
export const TEX_ACCENTS: ReadonlyMap<string, string> = new Map([
  ['`', '\u0300'],
  ["'", '\u0301'],
  ['^', '\u0302'],
  ['~', '\u0303'],
  ['=', '\u0304'],
  ['u', '\u0306'],
  ['.', '\u0307'],
  ['"', '\u0308'],
  ['r', '\u030a'],
  ['H', '\u030b'],
  ['v', '\u030c'],
  ['c', '\u0327'],
  ['k', '\u0328'],
  ['d', '\u0323'],
  ['b', '\u0331'],
]);

/** Commands without text, and the number of their arguments. */
export const TEX_DROPPED: ReadonlyMap<string, number> = new Map([
  ...'label ref eqref pageref autoref cref Cref index input include includegraphics bibliography bibliographystyle vspace hspace usepackage documentclass pagestyle thispagestyle pagenumbering hypersetup graphicspath nocite cline cmidrule color columncolor rowcolor selectlanguage hyphenation phantomsection theoremstyle geometry'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...'newcommand renewcommand providecommand newtheorem setlength addtolength setcounter addtocounter newenvironment renewenvironment DeclareMathOperator addcontentsline'
    .split(' ')
    .map((name): [string, number] => [name, 2]),
  ['textcolor', 1],
  ['newenvironment', 3],
  ['renewenvironment', 3],
  ['addcontentsline', 3],
  ['multirow', 2],
]);

/** Text with its dashes, quotation marks and spaces as characters. */
export function plainTexText(text: string): string {
  return text
    .replaceAll('---', '—')
    .replaceAll('--', '–')
    .replaceAll('``', '“')
    .replaceAll("''", '”')
    .replaceAll('~', ' ');
}
