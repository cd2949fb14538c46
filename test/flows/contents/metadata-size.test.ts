import test from 'ava';
import { formFor } from '#test/support/harness/api-client.ts';
import { idsOf, longText, startFlow } from '#test/support/harness/flow.ts';

/** Metadata of 1,000 terms: more than the 500,000 of a document allow to each of its chunks when it has more than 500. */
const LARGE = JSON.stringify(
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, `${index}a`])),
);
/** Metadata that any number of chunks may have. */
const SMALL = '{"lang":"en"}';
const book = (topic: string) => ['file', new File([longText(1_500, topic)], 'book.txt')] as const;

test('a document of many chunks with much metadata fails alone, says why, and is ready with less', async (t) => {
  const flow = await startFlow();
  const files = [book('barley'), ['files', new File(['A note.'], 'note.txt')]] as const;
  const { uploads } = await flow.upload(...files, ['metadata', LARGE]);
  const states = await Promise.all(uploads.map(({ content_id: id }) => flow.content(id)));
  t.deepEqual(
    states.map(({ name, status }) => [name, status]),
    [
      ['book.txt', 'failed'],
      ['note.txt', 'ready'],
    ],
  );
  t.regex(states[0]?.status_message ?? '', /more than \d+ terms .*, which is the limit for a document of \d+ chunks/);
  const [id] = idsOf(await flow.upload(book('barley'), ['metadata', SMALL]));
  t.is((await flow.content(id)).status, 'ready');
});

test('metadata that is too large for the chunks a document has is refused, and changes nothing', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(book('oats'), ['metadata', SMALL]));
  const json = { metadata: JSON.parse(LARGE) as unknown };
  const patched = await flow.api.fail(`/contents/${id}`, { method: 'PATCH', json });
  t.deepEqual([patched.status, patched.problems], [400, ['body.metadata metadata_too_large']]);
  const body = formFor(flow.collectionId, [book('oats'), ['metadata', LARGE]]);
  const again = await flow.api.fail('/upload', { method: 'POST', body });
  t.deepEqual([again.status, again.problems], [400, ['body.metadata metadata_too_large']]);
  t.like(await flow.content(id), { metadata: { lang: 'en' }, sync_status: 'synced' });
});
