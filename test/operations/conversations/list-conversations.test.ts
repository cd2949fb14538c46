import test, { type ExecutionContext } from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import { CreateConversationRequest } from '#domain/records/conversation.ts';
import { listConversations } from '#operations/conversations/conversations.ts';
import { createConversation } from '#operations/conversations/create-conversation.ts';
import { deleteConversation } from '#operations/conversations/delete-conversation.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const COUNT = 50;
/** A page of them ends at its byte budget several times. */
const META_DATA = { text: 'x'.repeat(60_000) };

async function openConversations(t: ExecutionContext) {
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const caller = administratorCaller(await services.stores.system.insertWorkspace('a test'));
  const create = async (title: string) => {
    const body = CreateConversationRequest.parse({ title, meta_data: META_DATA });
    return (await createConversation(services, caller, { body, idempotency: null })).body.id;
  };
  const ids: string[] = [];
  for (let number = 0; number < COUNT; number += 1) ids.push(await create(`Otter ${number % 10}`));
  return { services, caller, create, ids };
}

for (const search of [undefined, 'otter 3']) {
  const how = search === undefined ? 'newest first' : 'by title';
  test(`a list ${how} that is too large to be held at once has each conversation once, whatever is added or deleted meanwhile`, async (t) => {
    const { services, caller, create, ids } = await openConversations(t);
    const page = await listConversations(services, caller, { skip: 0, limit: 1000, search });
    t.true(page.rest !== null && page.data.length < COUNT);
    const listed = page.data.map(({ id }) => id);
    const [gone = ''] = listed;
    await deleteConversation(services, caller, gone);
    for (let more = 0; more < 3; more += 1) await create('Otter 3');
    for await (const { id } of page.rest ?? []) listed.push(id);
    t.deepEqual(listed.toSorted(), ids.toSorted());
  });
}
