import test, { type ExecutionContext } from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import { CreateConversationRequest } from '#domain/records/conversation.ts';
import { createConversation } from '#operations/conversations/create-conversation.ts';
import { deleteConversation } from '#operations/conversations/delete-conversation.ts';
import { finishConversationDeletions } from '#operations/conversations/finish-conversation-deletions.ts';
import { getConversation, listConversations } from '#operations/conversations/conversations.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { query } from '#store/postgres.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

async function openLongConversation(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const caller = administratorCaller(await services.stores.system.insertWorkspace('a test'));
  const body = CreateConversationRequest.parse({ title: 'Otters' });
  const { id } = (await createConversation(services, caller, { body, idempotency: null })).body;
  await query(
    database,
    `insert into messages (conversation_id, workspace_id, seq, content, role, message_type, checksum, sent_at, created_at)
     select :id, :workspaceId, seq, 'Otters', 'user', 'text', '', now(), now() from generate_series(1, 12000) seq`,
    { id, workspaceId: caller.scope.workspaceId },
  );
  await query(database, `update conversations set message_count = 12000 where id = :id`, { id });
  return { services, database, caller, id };
}

test('a long conversation is deleted in statements that do not grow with it', async (t) => {
  const { services, database, caller, id } = await openLongConversation(t);
  await database.raw(`
    create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > 5000 then raise exception 'one statement deletes too many messages'; end if;
        return null;
      end $$;
    create trigger few_at_a_time after delete on messages referencing old table as gone
      for each statement execute function refuse_many()`);
  await deleteConversation(services, caller, id);
  t.deepEqual(await query(database, 'select from messages'), []);
  t.deepEqual(await query(database, 'select from conversations'), []);
});

test('a conversation whose deletion was interrupted is not read any more, and a worker deletes the rest', async (t) => {
  const { services, database, caller, id } = await openLongConversation(t);
  t.is(await finishConversationDeletions(services), 0);
  t.is((await getConversation(services, caller, id)).id, id);
  await database.raw(`
    create function interrupt() returns trigger language plpgsql as $$
      begin
        if old.seq > 3000 then raise exception 'the process ends here'; end if;
        return old;
      end $$;
    create trigger interrupted before delete on messages for each row execute function interrupt()`);
  await t.throwsAsync(deleteConversation(services, caller, id), { message: /the process ends here/ });
  await t.throwsAsync(getConversation(services, caller, id), { code: 'not_found' });
  t.like(await listConversations(services, caller, { skip: 0, limit: 10 }), { data: [], total_count: 0 });
  const body = { conversation_id: id, enable_memories: false, content: ['Otters'] };
  await t.throwsAsync(createMessages(services, caller, { body, idempotency: null }), { code: 'not_found' });
  await database.raw('drop trigger interrupted on messages');
  t.is(await finishConversationDeletions(services), 1);
  t.deepEqual(await query(database, 'select from messages'), []);
  t.deepEqual(await query(database, 'select from conversations'), []);
});
