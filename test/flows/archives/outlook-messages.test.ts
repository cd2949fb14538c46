import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { msgFile } from '#test/support/fixtures/msg.ts';

test('an Outlook message is read with its attachments', async (t) => {
  const flow = await startFlow();
  const message = msgFile({
    properties: { '0037001F': 'Timetable', '1000001F': 'The ferry leaves at dawn.', '0C1A001F': 'Ada Byron' },
    attachments: [
      {
        '3707001F': 'fares.txt',
        '370E001F': 'text/plain',
        '37010102': Buffer.from('Children under six sail for nothing.'),
      },
    ],
  });
  const [id] = idsOf(await flow.upload(['file', new File([new Uint8Array(message)], 'timetable.msg')]));
  t.like(await flow.content(id), { status: 'ready', type: 'application/vnd.ms-outlook' });
  const { data: parts } = await flow.api.get(`/contents?linked_to=${id}`, z.object({ data: z.array(Content) }));
  t.deepEqual(
    parts.map(({ name, status }) => ({ name, status })),
    [{ name: 'fares.txt', status: 'ready' }],
  );
  t.is((await flow.search('the ferry leaves at dawn'))[0]?.content_id, id);
  t.is((await flow.search('children sail for nothing'))[0]?.content_id, parts[0]?.id);
});
