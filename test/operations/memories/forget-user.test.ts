import test from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import { CreateConversationRequest } from '#domain/records/conversation.ts';
import { createConversation } from '#operations/conversations/create-conversation.ts';
import { forgetUser } from '#operations/memories/forget-user.ts';
import { query } from '#store/postgres.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('however many messages wait for extraction, a statement ends few of them when their user is forgotten', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const caller = administratorCaller(await services.stores.system.insertWorkspace('a test'));
  const body = CreateConversationRequest.parse({ title: 'Otters' });
  const { id } = (await createConversation(services, caller, { body, idempotency: null })).body;
  await query(
    database,
    `insert into messages (conversation_id, workspace_id, seq, content, role, message_type, checksum, sent_at, created_at,
       memory_user_id)
     select :id, :workspaceId, seq, 'Otters', 'user', 'text', '', now(), now(), case when seq > 11000 then 'bob' else 'ada' end
     from generate_series(1, 12000) seq`,
    { id, workspaceId: caller.scope.workspaceId },
  );
  await database.raw(`
    create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from changed) > 5000 then raise exception 'one statement changes too many messages'; end if;
        return null;
      end $$;
    create trigger few_at_a_time after update on messages referencing new table as changed
      for each statement execute function refuse_many()`);
  await forgetUser(services, caller, { userId: 'ada' });
  const waiting = 'select memory_user_id, count(*)::int from messages where memory_user_id is not null group by 1';
  t.deepEqual(await query(database, waiting), [{ memory_user_id: 'bob', count: 1000 }]);
});
