import { gzipSync } from 'node:zlib';
import { docx, docxParagraph, junk, pdf, png } from '../documents.ts';
import type { HostileFile } from './corpus.ts';

/** Texts that take long or grow, and files that are not what their name says. */
export function hostileTexts(trap: string): HostileFile[] {
  const sentence = [{ text: 'A sentence on a page.' }];
  const many = (text: string, times: number): Buffer => Buffer.from(text.repeat(times));
  const nested = (depth: number): string =>
    Array.from(
      { length: depth },
      (_, index) => `Content-Type: multipart/mixed; boundary="b${index}"\r\n\r\n--b${index}\r\n`,
    ).join('');
  return [
    { name: 'open-quote.csv', bytes: Buffer.from(`a,b\n"${'x,y\n'.repeat(1_000_000)}`) },
    { name: 'many-columns.csv', bytes: many('a,', 1_000_000) },
    { name: 'nul.csv', bytes: Buffer.from('a,b\n\0,\0\n1,2\n') },
    { name: 'one-line.csv', bytes: many('x', 6_000_000) },
    { name: 'deep-arrays.json', bytes: Buffer.from('['.repeat(200_000) + ']'.repeat(200_000)) },
    { name: 'deep-objects.json', bytes: Buffer.from('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) },
    { name: 'cut-off.json', bytes: Buffer.from('{"a": [1, 2, {"b": "c') },
    { name: 'long-number.json', bytes: Buffer.from(`{"n": ${'9'.repeat(2_000_000)}}`) },
    {
      name: 'prototype.json',
      bytes: Buffer.from('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}'),
    },
    { name: 'brackets.md', bytes: many('[', 500_000) },
    { name: 'links.md', bytes: many('[a](', 300_000) },
    {
      name: 'fetching.md',
      bytes: Buffer.from(`# Links\n\n![x](${trap}/x.png) [y](${trap}/y)\n\n<img src="${trap}/z.png">\n`),
    },
    { name: 'quotes.md', bytes: Buffer.from(`${'> '.repeat(200_000)}deep`) },
    { name: 'emphasis.md', bytes: many('*a_', 300_000) },
    { name: 'wide-table.md', bytes: Buffer.from(`|${'a|'.repeat(50_000)}\n|${'-|'.repeat(50_000)}\n`) },
    { name: 'comments.md', bytes: many('<!--', 300_000) },
    { name: 'deep.html', bytes: Buffer.from(`<html><body>${'<div>'.repeat(100_000)}deep text`) },
    { name: 'deep-lists.html', bytes: Buffer.from(`<html><body>${'<ul><li>'.repeat(5_000)}deep text`) },
    { name: 'long-attribute.html', bytes: Buffer.from(`<html><body><p title="${'x'.repeat(5_000_000)}">text</p>`) },
    {
      name: 'wide-spans.html',
      bytes: Buffer.from(
        `<html><table>${'<tr><td colspan="9999999" rowspan="9999999">x</td></tr>'.repeat(200)}</table>`,
      ),
    },
    {
      name: 'fetching.html',
      bytes: Buffer.from(
        `<html><link rel="stylesheet" href="${trap}/a.css"><script src="${trap}/a.js"></script><body>text<img src="${trap}/a.png"><iframe src="${trap}/b"></iframe><object data="${trap}/c"></object>`,
      ),
    },
    { name: 'open-tags.html', bytes: Buffer.from(`<html><body>${'<'.repeat(300_000)}`) },
    {
      name: 'laughs.xml',
      bytes: Buffer.from('<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>'),
    },
    {
      name: 'fetching.svg',
      bytes: Buffer.from(
        `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="${trap}/x.png"/><script href="${trap}/x.js"/><text>words</text></svg>`,
      ),
    },
    {
      name: 'deep.eml',
      bytes: Buffer.from(`From: a@b.c\r\nSubject: deep\r\nMIME-Version: 1.0\r\n${nested(2_000)}\r\ntext`),
    },
    {
      name: 'long-headers.eml',
      bytes: Buffer.from(`From: a@b.c\r\nSubject: long\r\n${'X-A: b\r\n'.repeat(300_000)}\r\ntext`),
    },
    {
      name: 'fetching.eml',
      bytes: Buffer.from(
        `From: a@b.c\r\nSubject: pixel\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>Hello</p><img src="${trap}/pixel.gif">`,
      ),
    },
    { name: 'deep.rtf', bytes: Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}text`) },
    { name: 'control-words.rtf', bytes: Buffer.from(`{\\rtf1 ${'\\u-1?'.repeat(300_000)}}`) },
    { name: 'endless-style.rtf', bytes: Buffer.from(`{\\rtf1{\\stylesheet{${'\\s1 heading '.repeat(20_000)}}}text}`) },
    { name: 'many-comments.txt', bytes: many('<!-- -->', 8_000) },
    { name: 'folded-header.txt', bytes: Buffer.from(`From: a@b.c\r\n${' folded\r\n'.repeat(8_000)}no header`) },
    { name: 'blanks.html', bytes: Buffer.from(`<html><body><pre>a${' '.repeat(1_000_000)}b</pre>`) },
    { name: 'cut-off.rtf', bytes: Buffer.from("{\\rtf1\\ansi text \\'") },
    { name: 'empty.txt', bytes: Buffer.alloc(0) },
    { name: 'one-byte.pdf', bytes: Buffer.from([0x25]) },
    { name: 'zeros.bin', bytes: Buffer.alloc(100_000) },
    { name: 'noise.docx', bytes: junk(50_000) },
    { name: 'program.pdf', bytes: Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), junk(5_000)]) },
    { name: 'picture.txt', bytes: png() },
    { name: 'page.pdf', bytes: Buffer.from('<!doctype html><html><body><h1>Not a PDF</h1></body></html>') },
    { name: 'document.docx', bytes: pdf([sentence]) },
    { name: 'text.png', bytes: Buffer.from('Only a text, whatever it is called.') },
    { name: 'word.csv', bytes: docx(docxParagraph('A Word document called a table.')) },
    { name: 'packed.json', bytes: gzipSync('{"a": 1}') },
    {
      name: 'page-behind-pdf.html',
      bytes: Buffer.concat([pdf([sentence]), Buffer.from('<html><body>second</body></html>')]),
    },
    { name: 'archive-behind-pdf.pdf', bytes: Buffer.concat([pdf([sentence]), docx(docxParagraph('second'))]) },
    { name: 'lone-surrogates.txt', bytes: Buffer.from('fffe00d841d8420061000000', 'hex') },
    { name: 'direction-marks.txt', bytes: Buffer.from(`${'\u202e\u2066'.repeat(10_000)}text`) },
  ];
}
