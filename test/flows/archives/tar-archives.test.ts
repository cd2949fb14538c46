import { gzipSync } from 'node:zlib';
import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { tarFile } from '#test/support/fixtures/tar-file.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';

const List = z.object({ data: z.array(Content), total_count: z.int() });

test('the files of a compressed TAR archive become searchable contents, also within a ZIP archive', async (t) => {
  const flow = await startFlow();
  const tar = gzipSync(
    tarFile([
      { name: 'notes/marmot.txt', bytes: 'The marmot digs burrows below the alpine meadow.' },
      { name: 'notes/empty.txt' },
      { name: 'day.log.gz', bytes: gzipSync('The harbour crane failed at noon.') },
    ]),
  );
  const upload = await flow.upload(['file', new File([zipFile([{ name: 'backup.tgz', bytes: tar }])], 'papers.zip')]);
  const [id] = idsOf(upload);
  const names = async (parent: string) =>
    (await flow.api.get(`/contents?linked_to=${parent}`, List)).data.map(({ name, status, type }) => [
      name,
      status,
      type,
    ]);
  const { data } = await flow.api.get(`/contents?linked_to=${id}`, List);
  const [backup] = data;
  t.like(backup, { name: 'backup.tgz', status: 'ready', type: 'application/gzip' });
  t.is(backup?.file_data['entry_count'], 3);
  const inside = await names(backup?.id ?? '');
  t.is(inside.length, 3);
  for (const expected of [
    ['day.log.gz', 'ready', 'application/gzip'],
    ['notes/empty.txt', 'failed', null],
    ['notes/marmot.txt', 'ready', 'text/plain'],
  ])
    t.true(
      inside.some((found) => String(found) === String(expected)),
      String(expected),
    );
  t.is((await flow.search('marmot digs burrows'))[0]?.source, 'notes/marmot.txt');
  t.is((await flow.search('harbour crane failed at noon'))[0]?.source, 'day.log');
});
