import test from 'ava';
import * as fc from 'fast-check';
import { attachment } from '#api/http/response/attachment.ts';
import { fileNameOf, safeFileName } from '#api/http/multipart/file-name.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
);

test('safeFileName removes paths and control characters, keeps at most 255 bytes and is idempotent', (t) => {
  fc.assert(
    fc.property(anyName, (name) => {
      const safe = safeFileName(name);
      // oxlint-disable-next-line no-control-regex
      t.notRegex(safe, /[\u0000-\u001f\u007f/\\]/);
      t.not(safe, '');
      t.not(safe, '..');
      t.true(safe.isWellFormed());
      t.true(Buffer.byteLength(safe) <= 255);
      t.is(safeFileName(safe), safe);
    }),
  );
});

test('a file name encoded as browsers do is decoded unchanged', (t) => {
  fc.assert(
    fc.property(anyName, (name) => {
      const safe = safeFileName(name);
      const written = Buffer.from(`form-data; name="file"; filename="${safe.replaceAll('"', '%22')}"`).toString(
        'latin1',
      );
      t.is(fileNameOf(written), safeFileName(safe.replaceAll('%22', '"')));
    }),
  );
});

test('a header without a file name yields null', (t) => {
  t.is(fileNameOf('form-data; name="file"'), null);
  t.is(fileNameOf('form-data; name="file"; filename=""'), '');
  t.is(fileNameOf('form-data; name="file"; filename*=koi8-r\'\'x'), null);
});

test('the header of a download is an attachment in one line of ASCII that contains the file name', (t) => {
  fc.assert(
    fc.property(anyName, (name) => {
      const header = attachment(name);
      t.regex(header, /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\x21-\x7e]*$/);
      const extended = /filename\*=UTF-8''(.*)$/.exec(header)?.[1] ?? '';
      t.is(decodeURIComponent(extended), name.toWellFormed());
    }),
  );
});
