import test from 'ava';
import { receivedUrl } from '#api/http/multipart/receive-upload.ts';
import { matchEntries } from '../../../console/src/uploads/match-entries.ts';
import type { UploadEntry } from '../../../console/src/uploads/upload-entry.ts';

const waiting = { state: 'waiting', sent: 0, uploadId: null, contentId: null, status: null, message: null } as const;

function entryOf(name: string, id: number, source: UploadEntry['source']): UploadEntry {
  return { ...waiting, id, name, collectionId: 'c', source };
}

test('each typed address is told its own outcome, however those that are refused are shown in the answer', (t) => {
  const lines = [
    'example.com/terms',
    'https://example.com/prices?lang=en',
    'https://me:password@example.com/x',
    'https://example.com/last',
  ];
  const answers = lines.map((line, index) => ({ index, external_id: null, ...receivedUrl(line) }));
  const uploads = answers.flatMap(({ index, external_id, ...one }) =>
    'item' in one ? [{ ...accepted(index), name: one.item.name, external_id, source: 'url' as const }] : [],
  );
  const errors = answers.flatMap(({ index, external_id, ...one }) =>
    'error' in one ? [{ ...one.error, index, external_id }] : [],
  );
  const entries = lines.map((url, id) => entryOf(url, id, { kind: 'url', url, crawl: false }));
  const outcomes = matchEntries(entries, { upload_id: 'u', uploads, errors });
  t.deepEqual(
    outcomes.map(({ state, contentId }) => [state, contentId]),
    [
      ['failed', null],
      ['accepted', 'content of 1'],
      ['failed', null],
      ['accepted', 'content of 3'],
    ],
  );
  t.deepEqual(
    outcomes.map(({ message }) => message !== null),
    [true, false, true, false],
  );
});

test('a file whose name the service changes, or that has the name of another one, is told its own outcome', (t) => {
  const names = [' report.txt', 'same.txt', 'same.txt'];
  const entries = names.map((name, id) => entryOf(name, id, { kind: 'file', file: new File(['x'], name) }));
  const error = {
    external_id: null,
    source: 'file' as const,
    code: 'empty_file' as const,
    message: 'The file is empty.',
  };
  const outcomes = matchEntries(entries, {
    upload_id: 'u',
    uploads: [
      { ...accepted(1), name: 'same.txt' },
      { ...accepted(2), name: 'same.txt', duplicate: true },
    ],
    errors: [{ ...error, index: 0, name: 'report.txt' }],
  });
  t.deepEqual(
    outcomes.map(({ state, contentId, message }) => [state, contentId, message]),
    [
      ['failed', null, 'The file is empty.'],
      ['accepted', 'content of 1', null],
      ['duplicate', 'content of 2', null],
    ],
  );
});

function accepted(index: number) {
  const item = { index, content_id: `content of ${index}`, external_id: null, source: 'file' as const, type: null };
  return { ...item, size: null, content_hash: null, status: 'pending' as const, duplicate: false, replaced: false };
}
