import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

async function textOf(name: string, lines: readonly string[]): Promise<string> {
  return (await readBytes(lines.join('\n'), { name })).text.trim();
}

test('reads headings, lists, code and tables of AsciiDoc', async (t) => {
  const text = await textOf('manual.adoc', [
    '= Manual',
    ':toc:',
    '',
    '== Install',
    '',
    'NOTE: Needs *root*, see https://example.com/i[the guide] and <<end,the end>>.',
    '',
    '* one',
    '** two',
    '. first',
    '',
    '[source,ruby]',
    '----',
    'puts 1 # <1>',
    '== not a heading',
    '----',
    '',
    '////',
    'hidden',
    '////',
    '.Sizes',
    '|===',
    '|Item |Size',
    '',
    '|Bolt',
    '|M3',
    '|===',
    '',
    'CPU:: the processor',
  ]);
  t.is(
    text,
    [
      '# Manual',
      '## Install',
      '**Note:** Needs **root**, see [the guide](https://example.com/i) and the end.',
      '- one\n   - two\n1. first',
      '```ruby\nputs 1 #\n== not a heading\n```',
      '**Sizes**',
      '| Item | Size |\n| --- | --- |\n| Bolt | M3 |',
      '**CPU:** the processor',
    ].join('\n\n'),
  );
});

test('writes the values of attributes into AsciiDoc', async (t) => {
  const text = await textOf('a.adoc', [
    '= Guide to {product}',
    ':product: Foo Server',
    ':v: 2.1',
    '',
    'Get {product} {v} {none}.',
  ]);
  t.is(text, '# Guide to Foo Server\n\nGet Foo Server 2.1 {none}.');
});

test('reads tables of separated values in AsciiDoc', async (t) => {
  const text = await textOf('a.adoc', [
    ',===',
    'Name,Note',
    'Ann,"tall, blond"',
    ',none',
    ',===',
    '',
    '[format=csv,options=header]',
    '|===',
    'a,b',
    '1,',
    '|===',
    '',
    ':===',
    'x:y',
    ':===',
  ]);
  t.deepEqual(
    text.split('\n').filter((line) => /[a-z1]/.test(line)),
    ['| Name | Note |', '| Ann | tall, blond |', '|  | none |', '| a | b |', '| 1 |  |', '| x | y |'],
  );
});
