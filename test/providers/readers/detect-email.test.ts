import test from 'ava';
import { detectType } from '#providers/readers/detect-type.ts';

async function detect(content: string, name: string): Promise<string> {
  return (await detectType(Buffer.from(content), content.length, { name })).mediaType;
}

test('recognizes e-mail messages by any usual field of the header, wherever it is', async (t) => {
  const rest = 'From: a@b.c\r\nSubject: S\r\nMessage-ID: <a@b>\r\n\r\nHello\r\n';
  const beginnings = [
    'ARC-Seal: i=1; a=rsa;\r\n\tcv=none\r\n',
    'Sender: a@b.c\r\n',
    'Authentication-Results: mx.example.com; spf=pass\r\n',
    'Received: from x\r\nThread-Topic: S\r\n',
  ];
  for (const beginning of beginnings)
    for (const name of ['a.eml', 'a.txt', '']) t.is(await detect(beginning + rest, name), 'message/rfc822', beginning);
  t.is(await detect(`From a@b.c Mon Jan  1 00:00:00 2024\r\n${rest}`, 'a.eml'), 'message/rfc822');
  t.is(await detect('Subject: only this\n\nbody', 'a.eml'), 'message/rfc822');
  t.is(await detect('Minutes\n\nFrom: Anna\nReceived: yes\n', 'a.eml'), 'text/plain', 'behind the header');
  t.is(await detect('From: Anna\nTo: all\nSubject: lunch\n\nAt one?', 'a.txt'), 'text/plain', 'a note');
});

test('reads a note that begins with lines of a name and a value as text, even with names of fields of e-mail', async (t) => {
  const notes = [
    'Order: 4711\nCustomer: Miller\nFrom: Warehouse Berlin\nTo: Shop Paris\nReceived: 12 May 2024\n\n12 boxes of tea\n',
    'Item: tea\nFrom: Berlin\nReceived: yes\nDelivered-To: reception\nReturn-Path: by ship\nMessage-ID: 12\nMIME-Version: none\n',
  ];
  for (const note of notes) for (const name of ['a.txt', '']) t.is(await detect(note, name), 'text/plain', note);
  const transport = [
    'Message-ID:\r\n <long@mail.example.com>',
    'Received: by mx.example.com; Mon, 1 Jan 2024 00:00:00 +0000',
    'Received: from a.example.com\r\n by mx.example.com; Mon, 1 Jan 2024 00:00:00 +0000',
    'Return-Path: <a@b.c>',
    'Return-Path: <>',
    'Delivered-To: a@b.c',
    'Mime-Version: 1.0 (Mac OS X Mail 16.0)',
  ];
  for (const field of transport)
    for (const name of ['a.txt', ''])
      t.is(await detect(`X-Id: 1\r\nFrom: Anna\r\n${field}\r\n\r\nHi\r\n`, name), 'message/rfc822', field);
});
