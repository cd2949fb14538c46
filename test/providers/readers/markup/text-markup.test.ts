import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

async function textOf(name: string, lines: readonly string[]): Promise<string> {
  return (await readBytes(lines.join('\n'), { name })).text.trim();
}

test('reads headings, code, tables, notes and links of reStructuredText', async (t) => {
  const text = await textOf('guide.rst', [
    '.. _guide:',
    '',
    '=====',
    'Guide',
    '=====',
    '',
    'See `the site <https://example.com/a>`_, :ref:`the end <end>` and ``code()``.',
    '',
    'Setup',
    '-----',
    '',
    '* first',
    '* second',
    '',
    '.. code-block:: python',
    '   :linenos:',
    '',
    '   if x:',
    '       run()',
    '',
    '.. note:: Mind the *gap*.',
    '',
    'Run::',
    '',
    '    make all',
    '',
    '.. toctree::',
    '',
    '   other',
    '',
    '+------+-------+',
    '| Item | Price |',
    '+======+=======+',
    '| Bolt | 3     |',
    '+------+-------+',
    '',
    '==== =====',
    'Name Value',
    '==== =====',
    'a    1',
    '==== =====',
    '',
    '.. a comment',
    '',
    'End',
    '-----',
    'Last words.',
  ]);
  t.is(
    text,
    [
      '# Guide',
      'See [the site](https://example.com/a), the end and `code()`.',
      '## Setup',
      '- first\n- second',
      '```python\nif x:\n    run()\n```',
      '**Note:** Mind the *gap*.',
      'Run:',
      '```\nmake all\n```',
      '| Item | Price |\n| --- | --- |\n| Bolt | 3 |',
      '| Name | Value |\n| --- | --- |\n| a | 1 |',
      '## End',
      'Last words.',
    ].join('\n\n'),
  );
});

test('reads headlines, blocks, tables and links of an Org document, without drawers and comments', async (t) => {
  const text = await textOf('notes.org', [
    '#+TITLE: Harbour',
    '#+OPTIONS: toc:nil',
    '* Boats :fleet:',
    ':PROPERTIES:',
    ':ID: 12',
    ':END:',
    'The /old/ *tug*, see [[https://example.com/t][its page]] and =mast=.',
    '# a comment',
    '- [X] painted',
    '- [ ] sold',
    '| Name | Length |',
    '|------+--------|',
    '| Ada  | 12     |',
    '#+BEGIN_SRC sh',
    'echo hi',
    '#+END_SRC',
    '** Crew',
    'Two.',
  ]);
  t.is(
    text,
    '# Harbour\n\n## Boats\n\nThe *old* **tug**, see [its page](https://example.com/t) and `mast`.\n- [x] painted\n- [ ] sold\n\n' +
      '| Name | Length |\n| --- | --- |\n| Ada | 12 |\n\n```sh\necho hi\n```\n\n### Crew\n\nTwo.',
  );
});

test('reads the text of a LaTeX document: title, sections, lists, tables, formulas and code', async (t) => {
  const text = await textOf('paper.tex', [
    '\\documentclass[a4paper]{article}',
    '\\usepackage{amsmath} % for align',
    '\\newcommand{\\R}{\\mathbb{R}}',
    '\\title{On \\emph{Tides}}',
    '\\author{Zo\\"e M\\"{u}ller}',
    '\\begin{document}',
    '\\maketitle',
    '\\begin{abstract}Short.\\end{abstract}',
    '\\section{Height}\\label{sec:h}',
    'It is 5\\,\\% of \\textbf{all}~cases~\\cite{ada}, if $a<b$ --- see \\url{https://example.com/x}.',
    '\\begin{equation}',
    'h = \\frac{1}{2} g t^2 \\label{eq}',
    '\\end{equation}',
    '\\begin{itemize}',
    '\\item one',
    '\\begin{enumerate}\\item inner\\end{enumerate}',
    '\\item[Term] two',
    '\\end{itemize}',
    '\\begin{table}[h]\\caption{Sizes}',
    '\\begin{tabular}{l|r}',
    '\\hline Item & Price \\\\ \\hline',
    'Bolt \\& nut & 3 \\\\',
    '\\multicolumn{2}{c}{Sum} \\\\',
    '\\end{tabular}\\end{table}',
    '\\subsection*{Code}',
    '\\begin{lstlisting}[language=C]',
    'int a = 1; % kept',
    '\\end{lstlisting}',
    '\\end{document}',
  ]);
  t.is(
    text.replace(/\n[ \t]+/g, '\n'),
    [
      '# On *Tides*',
      'Zoë Müller',
      '## Abstract',
      'Short.',
      '## Height',
      'It is 5 % of **all** cases [ada], if $a<b$ — see https://example.com/x.',
      '$$h = \\frac{1}{2} g t^2$$',
      '- one\n\n1. inner',
      '- **Term** two',
      'Sizes',
      '| Item | Price |\n| --- | --- |\n| Bolt & nut | 3 |\n| Sum | Sum |',
      '### Code',
      '```c\nint a = 1; % kept\n```',
    ].join('\n\n'),
  );
});

test('reads hostile markup in time that grows with its length', async (t) => {
  const inputs: readonly (readonly [name: string, unit: string])[] = [
    ['a.rst', '`'],
    ['a.rst', '.. note::\n  '],
    ['a.rst', '`a <'],
    ['a.rst', '::\n\n'],
    ['a.org', '[['],
    ['a.org', ':a:\n'],
    ['a.org', '#+begin_src\n'],
    ['a.adoc', '<<a'],
    ['a.adoc', '----\n'],
    ['a.adoc', '|===\n|a '],
    ['a.tex', '\\begin{a}'],
    ['a.tex', '\\['],
    ['a.tex', '{'],
    ['a.tex', '\\item['],
    ['a.tex', '$%\n'],
    ['a.tex', "\\'"],
    ['a.tex', '\\begin{itemize}\\item a'],
    ['a.adoc', '|a'],
  ];
  for (const [name, unit] of inputs) {
    const { text } = await readBytes(`text ${unit.repeat(100_000 / unit.length)}`, { name });
    t.true(text.startsWith('text'), `${name}: ${unit}`);
  }
});

test('reads headings and attributes with millions of spaces, which a pattern that tries each of them would not end with', async (t) => {
  const gap = ' '.repeat(3_000_000);
  for (const [name, line] of [
    ['a.adoc', `== One${gap}two`],
    ['a.adoc', `== One${gap}two ==`],
    ['a.adoc', `:name: One${gap}two\n\n== One`],
    ['a.org', `** One${gap}two`],
    ['a.org', `** One${gap}two :tag:`],
  ] as const) {
    const { text } = await readBytes(`${line}\n\nLast line.\n`, { name });
    t.is(text.trimStart().slice(0, 6), '## One', line.slice(0, 12));
    t.true(text.endsWith('Last line.\n'));
    t.false(text.includes(':tag:') || text.includes('=='));
  }
});

test('reads addresses with percent signs and shortened rules of tables in LaTeX', async (t) => {
  const text = await textOf('paper.tex', [
    String.raw`See \url{https://example.com/a%20b_c} and \href{https://example.com/50\%/z}{the \emph{label}} here.`,
    String.raw`\begin{tabular}{lcc}\toprule Model & \multicolumn{2}{c}{Score} \\ \cmidrule(lr){2-3} & A & B \\ X & 1 & 2 \\`,
    String.raw`\end{tabular}`,
  ]);
  t.true(text.startsWith('See https://example.com/a%20b_c and [the *label*](https://example.com/50%/z) here.'));
  t.true(text.endsWith('| Model | Score | Score |\n| --- | --- | --- |\n|  | A | B |\n| X | 1 | 2 |'));
});

test('reads no LaTeX that \\iffalse disables, but what follows its \\else', async (t) => {
  const text = await textOf('paper.tex', [
    '\\documentclass{article}\\begin{document}',
    'Before \\iffalse hidden \\ifx\\a\\b inner \\else other \\fi $a \\iff b$ more \\fi after.',
    '',
    '\\iffalse old \\else new \\fi end.',
    '\\end{document}',
  ]);
  t.is(text.replace(/ +/g, ' '), 'Before after.\n\nnew end.');
});
