import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { openOwnApi, type OwnSent } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';

type Who = 'ada' | 'bob' | 'key';

const Created = z.looseObject({ id: z.string().optional(), memory_id: z.string().optional() });
const Problems = z.object({ detail: z.array(z.object({ loc: z.array(z.string()), type: z.string() })) });

/** A workspace with two members who hold tokens, and a key. */
async function openWorkspace(t: ExecutionContext) {
  const issuer = await openTokenIssuer(t);
  const verifier = createBearerTokenVerifier({
    keys: { jwksUrl: issuer.jwksUrl },
    issuer: issuer.issuer,
    audience: AUDIENCE,
    jwksCooldownS: 0,
  });
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: 'workspaces' }, administratorToken: null },
  });
  const { stores, secrets } = api.services;
  const workspaceId = await stores.system.insertWorkspace('shared');
  const { id, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, secrets.apiKeyPepper);
  await stores.system.insertApiKey({
    workspaceId,
    key: id,
    hashedSecret,
    label: 'x',
    permissions: ['*'],
    createdBy: 'x',
  });
  const tokens = {
    ada: await issuer.issue({ sub: 'ada', workspaces: [workspaceId] }),
    bob: await issuer.issue({ sub: 'bob', workspaces: [workspaceId] }),
    key: secret,
  };
  const send = (who: Who, path: string, sent: Omit<OwnSent, 'token'> = {}) =>
    api.send(path, { ...sent, token: tokens[who] });
  const status = async (who: Who, path: string, sent: Omit<OwnSent, 'token'> = {}) =>
    (await send(who, path, sent)).status;
  const create = async (who: Who, path: string, json: unknown) => {
    const answer = await send(who, path, { method: 'POST', json });
    t.is(answer.status, 201, JSON.stringify(answer.body));
    const { id: own, memory_id: memory } = Created.parse(answer.body);
    return own ?? memory ?? '';
  };
  return { send, status, create };
}

const put = (json: unknown) => ({ method: 'PUT', json });
const post = (json: unknown) => ({ method: 'POST', json });
const problemsOf = (body: unknown) => Problems.parse(body).detail.map(({ loc, type }) => `${loc.join('.')} ${type}`);

test('a user creates and changes only their own memories', async (t) => {
  const { send, status, create } = await openWorkspace(t);
  const foreign = await send('ada', '/memories', post({ memory: 'x', user_id: 'bob' }));
  t.deepEqual([foreign.status, problemsOf(foreign.body)], [422, ['body.user_id foreign_user']]);
  const own = await create('ada', '/memories', { memory: 'Sings in a choir.' });
  const team = await create('ada', '/memories', { memory: 'The team meets on Mondays.', memory_type: 'team' });
  const whole = (user_id: string) => post({ user_id, memory: 'changed', topics: [], metadata: {} });
  for (const [id, read, write] of [
    [own, 404, 404],
    [team, 200, 403],
  ] as const) {
    t.is(await status('bob', `/memories/${id}`), read);
    t.is(await status('bob', `/memories/${id}/history`), read);
    t.is(await status('bob', `/memories/${id}`, put({ memory: 'changed' })), write);
    t.is(await status('bob', `/memories/${id}/replace`, whole('bob')), write);
    t.is(await status('bob', `/memories/${id}/replace`, whole('ada')), 422, 'a user cannot act for another user');
    t.is(await status('bob', `/memories/${id}`, { method: 'DELETE' }), write);
    t.is(await status('key', `/memories/${id}`), 200);
    t.is(await status('key', `/memories/${id}`, put({ user_id: 'bob', memory: 'changed' })), 403);
    t.is(await status('ada', `/memories/${id}`, put({ topics: ['mine'] })), 200);
    t.is(await status('key', `/memories/${id}`, put({ user_id: 'ada', topics: ['said so'] })), 200);
  }
  t.is(await status('ada', `/memories/${own}`, { method: 'DELETE' }), 204);
  t.is(await status('key', `/memories/${team}`, { method: 'DELETE' }), 204);
});

test('a user lists and searches only their own memories; a key those of the named user, or all', async (t) => {
  const { send, status, create } = await openWorkspace(t);
  await create('ada', '/memories', { memory: 'Ada paints boats.' });
  await create('bob', '/memories', { memory: 'Bob paints boats.' });
  await create('bob', '/memories', { memory: 'All of us paint boats.', memory_type: 'team' });
  const Found = z.object({ memories: z.array(z.object({ memory: z.string() })) });
  const Listed = z.object({ data: z.array(z.object({ memory: z.string() })) });
  const search = async (who: Who, json: object) => {
    const answer = await send(who, '/memories/search', post({ query: 'paint boats', ...json }));
    return Found.parse(answer.body)
      .memories.map(({ memory }) => memory)
      .sort();
  };
  const list = async (who: Who, query = '') =>
    Listed.parse((await send(who, `/memories${query}`)).body)
      .data.map(({ memory }) => memory)
      .sort();
  const all = ['Ada paints boats.', 'All of us paint boats.', 'Bob paints boats.'];
  for (const retrieval_method of ['hybrid', 'vector', 'keyword', 'agentic', 'last_n']) {
    t.deepEqual(await search('ada', { retrieval_method }), ['Ada paints boats.'], retrieval_method);
    t.deepEqual(await search('ada', { retrieval_method, user_id: 'ada' }), ['Ada paints boats.'], retrieval_method);
    t.deepEqual(await search('key', { retrieval_method, user_id: 'bob' }), all.slice(1), retrieval_method);
    t.deepEqual(await search('key', { retrieval_method }), all, retrieval_method);
    t.is(await status('ada', '/memories/search', post({ query: 'x', retrieval_method, user_id: 'bob' })), 403);
  }
  t.deepEqual(await list('ada'), ['Ada paints boats.']);
  t.deepEqual(await list('key'), all);
  t.is(await status('ada', '/memories?user_id=bob'), 403);
});

test('a user exports and forgets only their own memories', async (t) => {
  const { send, status, create } = await openWorkspace(t);
  await create('ada', '/memories', { memory: 'Ada paints boats.' });
  await create('bob', '/memories', { memory: 'Bob paints boats.', memory_type: 'team' });
  t.is(await status('ada', '/memories/export?user_id=bob'), 403);
  t.is(await status('ada', '/memories?user_id=bob', { method: 'DELETE' }), 403);
  t.like((await send('ada', '/memories/export')).body, { memory: 'Ada paints boats.', user_id: 'ada' });
  t.is(await status('ada', '/memories', { method: 'DELETE' }), 202);
  t.is(await status('key', '/memories', { method: 'DELETE' }), 422);
  const left = await send('key', '/memories');
  t.like(left.body, { total_count: 1, data: [{ user_id: 'bob' }] });
});

test('only the owner changes a conversation; other members read it only if it is public', async (t) => {
  const { send, status, create } = await openWorkspace(t);
  const secret = await create('ada', '/conversations', { title: 'secret' });
  const open = await create('ada', '/conversations', { title: 'open', is_public: true });
  const foreign = await send('ada', '/conversations', post({ owner_id: 'bob' }));
  t.deepEqual([foreign.status, problemsOf(foreign.body)], [422, ['body.owner_id foreign_user']]);
  for (const [id, read, write] of [
    [secret, 404, 404],
    [open, 200, 403],
  ] as const) {
    t.is(await status('bob', `/conversations/${id}`), read);
    t.is(await status('bob', `/conversations/${id}/messages`), read);
    t.is(await status('bob', `/conversations/${id}`, { method: 'PATCH', json: { title: 'mine now' } }), write);
    t.is(await status('bob', `/conversations/${id}/end`, { method: 'PATCH' }), write);
    t.is(await status('bob', `/conversations/${id}/archive`, { method: 'PATCH' }), write);
    t.is(await status('bob', `/conversations/${id}`, { method: 'DELETE' }), write);
    t.is(await status('bob', '/messages', post({ conversation_id: id, content: 'x' })), write);
    for (const who of ['ada', 'key'] as const) {
      t.is(await status(who, `/conversations/${id}`), 200);
      t.is(await status(who, '/messages', post({ conversation_id: id, content: 'x' })), 201);
    }
  }
  const Listed = z.object({ data: z.array(z.object({ title: z.string().nullable() })), total_count: z.number() });
  const titles = async (who: Who, query = '') => {
    const { data, total_count } = Listed.parse((await send(who, `/conversations${query}`)).body);
    t.is(total_count, data.length);
    return data.map(({ title }) => title);
  };
  t.deepEqual(await titles('ada'), ['open', 'secret']);
  t.deepEqual(await titles('bob'), ['open']);
  t.deepEqual(await titles('bob', '?user_id=ada'), ['open']);
  t.deepEqual(await titles('bob', '?search=secret'), []);
  t.deepEqual(await titles('key'), ['open', 'secret']);
});

test('a user writes as themselves, and gives no instructions to models; a key writes for everybody', async (t) => {
  const { send } = await openWorkspace(t);
  const say = (who: 'ada' | 'key', ...content: Record<string, unknown>[]) =>
    send(who, '/messages', post({ content: content.map((one) => ({ content: 'x', ...one })) }));
  const messagesOf = ({ body }: { body: unknown }) =>
    z.array(z.looseObject({ conversation_id: z.string() })).parse(body);

  const own = messagesOf(await say('ada', {}, { sender_id: 'ada' }, { role: 'assistant', sender_id: 'a model' }));
  t.deepEqual(
    own.map((message) => [message['sender_id'], message['owner_id']]),
    [
      ['ada', 'ada'],
      ['ada', 'ada'],
      ['a model', 'ada'],
    ],
  );
  t.like((await send('ada', `/conversations/${own[0]?.conversation_id}`)).body, { owner_id: 'ada' });
  const spelled = ['User', 'user ', 'ｕｓｅｒ', 'us\u200ber'].map((role) => ({ role, sender_id: 'bob' }));
  const instructing = [
    'system',
    'Developer',
    ' system',
    'system\u00a0',
    'ｓｙｓｔｅｍ',
    'sys\u00adtem',
    'develop\u{e0065}er',
  ];
  for (const refused of [
    { sender_id: 'bob' },
    ...spelled,
    ...instructing.map((role) => ({ role, sender_id: 'ada' })),
  ]) {
    const before = await send('ada', '/conversations');
    const { status, body } = await say('ada', {}, refused);
    t.is(status, 403, JSON.stringify(refused));
    t.like(body, { code: 'forbidden' });
    t.deepEqual((await send('ada', '/conversations')).body, before.body, 'nothing is stored');
  }
  const [asSent] = messagesOf(await say('ada', { role: 'User ' }));
  t.deepEqual([asSent?.['role'], asSent?.['sender_id']], ['User ', 'ada'], 'stored as sent, in the name of the user');
  const forAll = messagesOf(await say('key', { sender_id: 'bob' }, { role: 'system' }));
  t.deepEqual(
    forAll.map((message) => [message['sender_id'], message['role']]),
    [
      ['bob', 'user'],
      [null, 'system'],
    ],
  );
});
