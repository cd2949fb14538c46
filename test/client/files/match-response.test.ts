import test from 'ava';
import { matchResponse, type UploadResponse } from '../../../client/src/upload/match-response.ts';
import type { UploadInput } from '../../../client/src/upload/upload-input.ts';

function fileOf(name: string): UploadInput {
  const of = { source: 'file' as const, input: `/${name}`, name, externalId: null, path: null, sizeBytes: 0 };
  return { ...of, open: async () => '' };
}

function refusing(errors: readonly [name: string, code: 'empty_file' | 'too_many_items'][]): UploadResponse {
  return {
    upload_id: null,
    collection_id: 'c',
    content_type: 'file',
    uploads: [],
    errors: errors.map(([name, code], index) => {
      const item = { index, name, external_id: null, source: 'file' as const };
      return { ...item, code, message: code };
    }),
    total_uploads: errors.length,
    successful_uploads: 0,
    failed_uploads: errors.length,
  };
}

test('files beyond the limit of a request are sent in another one, also when all before them were refused', (t) => {
  const batch = ['a', 'b', 'c'].map(fileOf);
  const answer = refusing([
    ['a', 'empty_file'],
    ['b', 'empty_file'],
    ['c', 'too_many_items'],
  ]);
  const { failures, beyondLimit } = matchResponse(batch, answer);
  t.deepEqual(
    failures.map(({ input, code }) => [input, code]),
    [
      ['/a', 'empty_file'],
      ['/b', 'empty_file'],
    ],
  );
  t.deepEqual(beyondLimit, [batch[2]]);
});

test('files are not sent again when the service takes none at all', (t) => {
  const { failures, beyondLimit } = matchResponse([fileOf('a')], refusing([['a', 'too_many_items']]));
  t.deepEqual([failures.map(({ code }) => code), beyondLimit], [['too_many_items'], []]);
});

test('a refused file is the one of its name, also when the name of another one has been changed by the service', (t) => {
  const batch = ['bad.bin', ' report.txt', ' worse.bin'].map(fileOf);
  const answer = refusing([
    ['bad.bin', 'empty_file'],
    ['worse.bin', 'empty_file'],
  ]);
  const item = { content_id: '1', name: 'report.txt', external_id: null, source: 'file' as const, type: null, size: 7 };
  const accepted = {
    ...item,
    index: 1,
    content_hash: null,
    status: 'pending' as const,
    duplicate: false,
    replaced: false,
  };
  const { items, failures } = matchResponse(batch, { ...answer, upload_id: 'u', uploads: [accepted] });
  t.deepEqual(
    [items, failures].map((list) => list.map(({ input }) => input)),
    [['/ report.txt'], ['/bad.bin', '/ worse.bin']],
  );
});
