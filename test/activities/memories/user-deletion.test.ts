import test, { type ExecutionContext } from 'ava';
import { extractFromMessages } from '#activities/conversations/extract-from-messages.ts';
import {
  completeUserDeletion,
  removeUserMemories,
  removeUserObjects,
  verifyUserObjects,
} from '#activities/memories/user-deletion.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import { CreateMemoryRequest, type MemoryVersion } from '#domain/records/memory.ts';
import { NewMessage } from '#domain/records/message.ts';
import { getDeletion } from '#operations/contents/get-deletion.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { createMemories } from '#operations/memories/create-memories.ts';
import { exportMemories } from '#operations/memories/export-memories.ts';
import { forgetUser } from '#operations/memories/forget-user.ts';
import { projectMemories } from '#test/operations/memories/project-memories.ts';
import { query } from '#store/postgres.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

async function openMemories(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const workspaceId = await services.stores.system.insertWorkspace('to forget');
  const caller: Caller = {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: null,
    userId: null,
    permissions: ['*'],
    principal: 'a key',
    workspaceIds: [workspaceId],
  };
  const remember = (userId: string, texts: readonly string[]) => {
    const items = texts.map((memory) => ({ body: CreateMemoryRequest.parse({ user_id: userId, memory }) }));
    return createMemories(services, caller, { items, idempotency: null });
  };
  const exported = async (userId: string) => {
    const versions: MemoryVersion[] = [];
    for await (const version of exportMemories(services, caller, { userId })) versions.push(version);
    return versions;
  };
  const forget = async () => {
    const { deletion_id } = await forgetUser(services, caller, { userId: 'ada' });
    return { workspace_id: workspaceId, deletion_id };
  };
  const receipt = (id: string) => services.stores.deletions.find(caller.scope, id, caller);
  // The steps use nothing that only a worker has.
  return { services: services as WorkerServices, database, caller, remember, exported, forget, receipt };
}

test('every step of a deletion can be repeated, and a new deletion covers what was written since', async (t) => {
  const { services, remember, exported, forget, receipt, caller } = await openMemories(t);
  await remember('ada', ['one', 'two', 'three']);
  const deletion = await forget();
  t.is((await forget()).deletion_id, deletion.deletion_id, 'the same while it is not completed');
  await remember('ada', ['later']);
  const second = await forget();
  t.not(second.deletion_id, deletion.deletion_id);
  t.deepEqual(await exported('ada'), []);
  await remember('ada', ['latest']);
  const completion = { ...deletion, outbox_id: `forget-user/${deletion.deletion_id}` };
  for (let round = 1; round <= 2; round += 1) {
    t.true(await removeUserMemories(services, deletion, step));
    t.is(await removeUserObjects(services, { ...deletion, after: null }, step), null);
    t.deepEqual(await verifyUserObjects(services, { ...deletion, after: null }, step), { after: null, isAny: false });
    t.true(await completeUserDeletion(services, completion));
  }
  t.like(await receipt(deletion.deletion_id), { status: 'completed', removed: { memories: 3, index_objects: 3 } });
  t.like(await receipt(second.deletion_id), { status: 'running', removed: { memories: 1, index_objects: 1 } });
  t.deepEqual(
    (await exported('ada')).map(({ memory }) => memory),
    ['latest'],
  );
  const { space } = services.embedders.preferred;
  t.is(await services.vectors.countObjects(space, memoryTenant(caller.scope.workspaceId), {}), 1, 'latest');
});

test('an object that a stalled worker writes after the removal is found by the verification, and removed by the next pass', async (t) => {
  const { services, remember, forget, caller } = await openMemories(t);
  const { body } = await remember('ada', ['one']);
  const [result] = body.results;
  const memoryId = result?.status === 'created' ? result.memory_id : '';
  const deletion = await forget();
  await removeUserObjects(services, { ...deletion, after: null }, step);
  const { space } = services.embedders.preferred;
  const vector = new Float32Array(space.dimensions).fill(0.1);
  const late = { id: memoryId, content_id: memoryId, version: 1, text: 'one', facets: [], vector };
  await services.vectors.writeObjects(space, memoryTenant(caller.scope.workspaceId), [late]);
  t.like(await verifyUserObjects(services, { ...deletion, after: null }, step), { isAny: true });
  await removeUserObjects(services, { ...deletion, after: null }, step);
  t.like(await verifyUserObjects(services, { ...deletion, after: null }, step), { isAny: false });
});

test('a user with more memories than one transaction removes is forgotten in steps', async (t) => {
  const { services, database, caller, forget, receipt } = await openMemories(t);
  const { space } = services.embedders.preferred;
  const tenant = memoryTenant(caller.scope.workspaceId);
  await services.vectors.ensureSpace(space);
  await services.vectors.ensureTenant(space, tenant);
  await query(
    database,
    `with m as (
       insert into memories (id, workspace_id, user_id, memory_type)
       select uuidv7(), :workspaceId, 'ada', 'user' from generate_series(1, 6500) returning *
     ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, index_due_at, index_state,
       index_space)
     select id, 1, workspace_id, uuidv7(), 'x', created_at, now() + interval '1 day', 'current', :space from m`,
    { workspaceId: caller.scope.workspaceId, space: serializeSpace(space) },
  );
  // Some of them are in the index, among the first and among the last.
  const ids = await query<{ id: string }>(
    database,
    `select id from (select id, row_number() over (order by id) as place from memories) m where place % 20 = 0`,
  );
  const vector = new Float32Array(space.dimensions).fill(0.1);
  const objects = ids.map(({ id }) => ({ id, content_id: id, version: 1, text: 'x', facets: [], vector }));
  await services.vectors.writeObjects(space, tenant, objects);
  t.is(await services.vectors.countObjects(space, tenant, {}), 325);
  const deletion = await forget();
  t.like(await receipt(deletion.deletion_id), { removed: { memories: 5_000, index_objects: 5_000 } });
  const completion = { ...deletion, outbox_id: `forget-user/${deletion.deletion_id}` };
  t.false(await completeUserDeletion(services, completion), 'memories are left');
  t.true(await removeUserMemories(services, deletion, step));
  t.like(await verifyUserObjects(services, { ...deletion, after: null }, step), { isAny: true });
  t.is(await removeUserObjects(services, { ...deletion, after: null }, step), null);
  t.deepEqual(await verifyUserObjects(services, { ...deletion, after: null }, step), { after: null, isAny: false });
  t.is(await services.vectors.countObjects(space, tenant, {}), 0);
  t.true(await completeUserDeletion(services, completion));
  t.like(await receipt(deletion.deletion_id), {
    status: 'completed',
    removed: { memories: 6_500, index_objects: 6_500 },
  });
});

test('a memory with more versions than a request removes is left to the workflow', async (t) => {
  const { services, database, remember, forget, receipt } = await openMemories(t);
  await remember('ada', ['changed every minute']);
  await query(database, 'update memories set version = 10001');
  const deletion = await forget();
  t.like(await receipt(deletion.deletion_id), { removed: { memories: 0 } });
  t.true(await removeUserMemories(services, deletion, step));
  t.like(await receipt(deletion.deletion_id), { removed: { memories: 1 } });
});

test('no memory is extracted any more from messages that a forgotten user sent before; the messages stay', async (t) => {
  const { services, caller, exported, forget } = await openMemories(t);
  const content = [
    { content: 'I keep goats.', sender_id: 'ada' },
    { content: 'So do I.', sender_id: 'bob' },
  ];
  const messages = await createMessages(services, caller, {
    body: { enable_memories: true, content: content.map((one) => NewMessage.parse(one)) },
    idempotency: null,
  });
  await forget();
  const conversation_id = messages.body[0]?.conversation_id ?? '';
  const args = { workspace_id: caller.scope.workspaceId, conversation_id, from: 1, to: 2 };
  t.is((await extractFromMessages({ ...services, chat: null }, args)).memories, 1);
  t.deepEqual([await exported('ada'), (await exported('bob')).length], [[], 1]);
  t.is(await services.stores.messages.count(caller.scope, { conversationId: conversation_id, parentId: null }), 2);
});

test('no memory is extracted from messages that were sent while the user was being forgotten, when that is asked again', async (t) => {
  const { services, caller, exported, forget } = await openMemories(t);
  const first = await forget();
  const content = [NewMessage.parse({ content: 'I live in Rome.', sender_id: 'ada' })];
  const body = { enable_memories: true, content };
  const [message] = (await createMessages(services, caller, { body, idempotency: null })).body;
  t.is((await forget()).deletion_id, first.deletion_id);
  const conversation_id = message?.conversation_id ?? '';
  const args = { workspace_id: caller.scope.workspaceId, conversation_id, from: 1, to: 1 };
  t.is((await extractFromMessages({ ...services, chat: null }, args)).memories, 0);
  t.deepEqual(await exported('ada'), []);
});

test('a user and a key with few collections read the receipt that they are given for a deletion that others requested', async (t) => {
  const { services, caller, remember, forget } = await openMemories(t);
  await remember('ada', ['one']);
  const { deletion_id } = await forget();
  const limited: Caller = { ...caller, scope: { ...caller.scope, collectionIds: [] }, principal: 'another key' };
  const ada: Caller = { ...limited, userId: 'ada', principal: 'user/ada' };
  const bob: Caller = { ...limited, userId: 'bob', principal: 'user/bob' };
  t.is((await forgetUser(services, ada, { userId: undefined })).deletion_id, deletion_id);
  t.is((await getDeletion(services, ada, deletion_id)).id, deletion_id);
  await t.throwsAsync(getDeletion(services, bob, deletion_id), { code: 'not_found' });
  await t.throwsAsync(getDeletion(services, limited, deletion_id), { code: 'not_found' });
  const own = await forgetUser(services, limited, { userId: 'ada' });
  t.is((await getDeletion(services, limited, own.deletion_id)).user_id, 'ada');
  t.is((await forgetUser(services, limited, { userId: 'ada' })).deletion_id, own.deletion_id);
});

test('a receipt counts objects that the worker removed before the workflow of the deletion began', async (t) => {
  const { services, database, remember, forget, receipt } = await openMemories(t);
  await remember('ada', ['one', 'two', 'three']);
  const deletion = await forget();
  await query(database, 'update memory_residues set due_at = now()');
  t.is(await projectMemories(services), 3);
  await removeUserObjects(services, { ...deletion, after: null }, step);
  t.like(await receipt(deletion.deletion_id), { removed: { memories: 3, index_objects: 3 } });
});

test('a receipt is completed only when objects of memories that were deleted one by one before are removed, too', async (t) => {
  const { services, caller, remember, forget, receipt } = await openMemories(t);
  const { body } = await remember('ada', ['one', 'two']);
  await remember('bob', ['three']);
  const [one] = body.results;
  // As if the index was unavailable: nobody removes the object.
  await services.stores.memories.delete(caller.scope, one?.status === 'created' ? one.memory_id : '');
  const { space } = services.embedders.preferred;
  const objects = () => services.vectors.countObjects(space, memoryTenant(caller.scope.workspaceId), {});
  t.is(await objects(), 3);
  const deletion = await forget();
  t.like(await verifyUserObjects(services, { ...deletion, after: null }, step), { isAny: true });
  await removeUserObjects(services, { ...deletion, after: null }, step);
  t.like(await verifyUserObjects(services, { ...deletion, after: null }, step), { isAny: false });
  t.is(await objects(), 1);
  t.like(await receipt(deletion.deletion_id), { removed: { memories: 1, index_objects: 1 } });
});

test('an export has every version of every memory of the user, page by page', async (t) => {
  const { services, database, caller, remember, exported } = await openMemories(t);
  await remember('bob', ['not this one']);
  // More than a page of memories, one of which has more versions than a page, and texts larger than a page.
  await query(
    database,
    `with m as (
       insert into memories (id, workspace_id, user_id, memory_type, version, created_at)
       select uuidv7(), :workspaceId, 'ada', 'user', case number when 3 then 1200 else 2 end,
         to_timestamp(1700000000 + number / 100) from generate_series(1, 700) number returning *
     ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, valid_to, index_due_at)
     select id, number, workspace_id, uuidv7(), repeat('x', case when m.version = 2 then 4000 else 1 end), created_at,
       case when number < m.version then created_at end, now() + interval '1 day'
     from m cross join generate_series(1, m.version) number`,
    { workspaceId: caller.scope.workspaceId },
  );
  const versions = await exported('ada');
  t.is(versions.length, 699 * 2 + 1_200);
  t.is(new Set(versions.map(({ memory_id, version }) => `${memory_id}/${version}`)).size, versions.length);
  t.true(versions.every(({ user_id, valid_from }) => user_id === 'ada' && valid_from !== null));
  const order = versions.map(({ created_at, memory_id, version }) => `${created_at}/${memory_id}/${version + 10_000}`);
  t.deepEqual(order, order.toSorted());
  t.is(services.chat, null);
});
