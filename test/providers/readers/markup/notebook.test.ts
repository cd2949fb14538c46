import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

test('reads the cells of a notebook: text, code with its language, and the text of the output', async (t) => {
  const notebook = {
    nbformat: 4,
    metadata: { kernelspec: { name: 'python3' }, language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Tides\n', '\n', 'The **spring** tide.'] },
      {
        cell_type: 'code',
        source: 'print(height)\nheight',
        outputs: [
          { output_type: 'stream', text: ['4.2\n'] },
          { output_type: 'execute_result', data: { 'text/plain': '4.2', 'image/png': 'iVBORw0KGgo=' } },
        ],
      },
      {
        cell_type: 'code',
        source: '1/0',
        outputs: [{ output_type: 'error', ename: 'ZeroDivisionError', evalue: 'no' }],
      },
    ],
  };
  const { text, mediaType, notes } = await readBytes(JSON.stringify(notebook), { name: 'tides.ipynb' });
  t.is(mediaType, 'application/x-ipynb+json');
  t.is(notes['cell_count'], 3);
  t.is(
    text.trim(),
    '# Tides\n\nThe **spring** tide.\n\n```python\nprint(height)\nheight\n```\n\nOutput:\n\n```\n4.2\n\n4.2\n```\n\n' +
      '```python\n1/0\n```\n\nOutput:\n\n```\nZeroDivisionError: no\n```',
  );
});

test('cuts the output of a notebook, reads those of version 3, and rejects what is none', async (t) => {
  const long = { cells: [{ cell_type: 'code', source: 'x', outputs: [{ text: 'y'.repeat(100_000) }] }] };
  t.true((await readBytes(JSON.stringify(long), { name: 'a.ipynb' })).text.length < 5_000);
  const old = {
    worksheets: [
      {
        cells: [
          { cell_type: 'heading', level: 2, source: 'Old' },
          { cell_type: 'code', input: 'x = 1', language: 'python', outputs: [] },
        ],
      },
    ],
  };
  t.is((await readBytes(JSON.stringify(old), { name: 'a.ipynb' })).text.trim(), '## Old\n\n```python\nx = 1\n```');
  await t.throwsAsync(readBytes('{"cells": 3}', { name: 'a.ipynb' }), { code: 'unreadable', message: /Jupyter/ });
});

test('leaves out the bytes of pictures in the text of a notebook', async (t) => {
  const source = ['See ', `![a chart](data:image/png;base64,${'iVBORw0KGgo'.repeat(50)})`, ' here.'];
  const { text } = await readBytes(JSON.stringify({ cells: [{ cell_type: 'markdown', source }] }), { name: 'a.ipynb' });
  t.is(text.trim(), 'See a chart here.');
});
