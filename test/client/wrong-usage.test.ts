import test from 'ava';
import { parseInteger } from '../../client/src/cli/option-parsers.ts';
import { runLoci } from '../../client/src/cli/run-loci.ts';

test.serial('a command line that says nothing to do is wrong usage, as one that cannot be parsed', async (t) => {
  const lines = [
    ['upload'],
    ['upload', 'a.md', '--max-pages', '3'],
    ['upload', 'a.md', '--crawl'],
    ['search', ' '],
    ['contents', 'list', '--limit', ''],
    ['no-such-command'],
  ];
  const options = ['--base-url', 'http://127.0.0.1:9', '--api-key', 'x'];
  for (const line of lines) t.is(await runLoci([...options, ...line]), 2, line.join(' '));
});

test('a number of an option is whole and has digits only', (t) => {
  const parse = parseInteger(0, 100);
  t.deepEqual(['0', '7', '100'].map(parse), [0, 7, 100]);
  for (const text of ['', ' ', '-1', '1.5', '1e2', '0x10', '101']) {
    t.throws(() => parse(text), { message: /whole number from 0 to 100/ }, text);
  }
});
