import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { Conversation } from '#domain/records/conversation.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { Message } from '#domain/records/message.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { until } from '#test/support/harness/eventually.ts';
import { idsOf } from '#test/support/harness/flow.ts';
import { openOwnInstallation } from '#test/support/processes/own-installation.ts';
import { startChatServer } from '#test/support/servers/chat-server.ts';

const SLOTS = 2;
/** A setting from before there was a queue for conversations: it is not in the list. */
const QUEUES = `workflows,express,upkeep:${SLOTS},loops`;
/** The model is asked for a summary of each. */
const CONVERSATIONS = 3 * SLOTS;
const LONGER_THAN_THIS_TEST_S = '3600';

test('a deletion ends while a chat model that never answers has more conversations than there are slots', async (t) => {
  t.timeout(480_000);
  const silence = Promise.withResolvers<string>();
  const chat = await startChatServer(() => silence.promise);
  t.teardown(() => chat.close());
  const { request, startWorker, collectionId } = await openOwnInstallation(t);
  await startWorker('worker', {
    LOCI_WORKER_QUEUES: QUEUES,
    LOCI_CHAT_BASE_URL: chat.baseUrl,
    LOCI_CHAT_MODEL: 'silent',
    LOCI_CHAT_TIMEOUT_S: LONGER_THAN_THIS_TEST_S,
  });
  const form = new FormData();
  form.set('collection_id', collectionId);
  form.set('content', 'A text that nobody summarises.');
  const [contentId] = idsOf(UploadResponse.parse(await request('/upload', { method: 'POST', body: form })));
  const contentOf = async () => Content.parse(await request(`/contents/${contentId}`));
  await until(contentOf, ({ status }) => status === 'ready');

  const conversations: string[] = [];
  for (let number = 0; number < CONVERSATIONS; number += 1) {
    const body = JSON.stringify({ content: ['The ferry leaves at noon.', `It has ${number} seats.`] });
    const [message] = z.array(Message).parse(await request('/messages', { method: 'POST', body }));
    conversations.push(message?.conversation_id ?? '');
  }
  await until(
    async () => chat.requests.length,
    (count) => count === SLOTS,
  );

  const { deletion_id } = DeletionAccepted.parse(await request(`/contents/${contentId}`, { method: 'DELETE' }));
  const { removed } = await until(
    async () => Deletion.parse(await request(`/deletions/${deletion_id}`)),
    ({ status }) => status === 'completed',
  );
  t.is(removed.contents, 1);
  t.is(chat.requests.length, SLOTS, 'every slot of conversations still waits for its first answer');

  silence.resolve('They take the ferry.');
  for (const id of conversations) {
    const { summary } = await until(
      async () => Conversation.parse(await request(`/conversations/${id}`)),
      (found) => found.summary !== null,
    );
    t.is(summary, 'They take the ferry.');
  }
});
