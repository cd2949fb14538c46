import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { eventually } from '#test/support/harness/eventually.ts';
import type { RequestOptions, Recorder } from '#test/support/servers/recorded-answers.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** Returns a word that occurs nowhere else. */
export function canary(what: string): string {
  return `canary${what}${randomBytes(8).toString('hex')}`;
}

/** Settings of the second API, in addition to those of the stack. */
export type OwnSettings = { jwtSecret: string; issuer: string; audience: string };

export type Stage = Recorder & {
  settings: OwnSettings;
  adminToken: string;
  /** Texts that may appear only in the response that issues them. */
  secrets: Record<string, string>;
  /** User texts: allowed in the responses and tables meant for them, never in logs and histories. */
  words: Record<string, string>;
  /** The workspace of the test, set once it is created. */
  workspace: { id: string; key: string };
};

const CreatedKey = z.object({ id: z.string(), secret: z.string() });
const Created = z.object({ id: z.string() });

/** Returns the secret part of an API key. */
const tailOf = (secret: string) => secret.split('_').at(-1) ?? '';

/** Sends API keys in every way, and requests the responses that issue them. */
export async function enterApiKeys(stage: Stage): Promise<void> {
  const { ask, secrets } = stage;
  const operator = { Authorization: `Bearer ${stage.adminToken}` };
  const json = { name: 'of canaries' };
  const first = await ask('POST', '/api/v1/workspaces', { headers: operator, json, mayShow: ['first key'] });
  const workspace = z.object({ id: z.string(), api_key: CreatedKey }).parse(first.body);
  stage.workspace = { id: workspace.id, key: workspace.api_key.secret };
  secrets['first key'] = tailOf(workspace.api_key.secret);

  const asOwner = { 'X-API-Key': stage.workspace.key };
  const once = { ...asOwner, 'Idempotency-Key': randomUUID() };
  const create = { headers: once, json: { permissions: ['*'] }, mayShow: ['key'] };
  const made = CreatedKey.parse((await ask('POST', '/api/v1/api-keys', create)).body);
  await ask('POST', '/api/v1/api-keys', create);
  await ask('POST', '/api/v1/api-keys', { ...create, json: { permissions: ['chunks:read'] }, mayShow: [] });
  secrets['key'] = tailOf(made.secret);

  const path = `/api/v1/api-keys/${made.id}`;
  const use = async (key: string) => {
    for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }] as const)
      for (const each of ['/api/v1/api-keys', path, '/api/v1/collections', '/nowhere'])
        await ask('GET', each, { headers });
  };
  await use(made.secret);
  await ask('PATCH', path, { headers: asOwner, json: { label: 'known' } });
  // Keys in wrong places: in the URL and as a value.
  const misplaced = { headers: asOwner };
  await ask('GET', `/api/v1/collections?api_key=${made.secret}`, misplaced);
  await ask('GET', `/api/v1/contents/${made.secret}`, misplaced);
  await ask('GET', `/api/v1/chunks?cursor=${made.secret}`, misplaced);
  await ask('POST', '/api/v1/api-keys', { ...misplaced, json: { permissions: [made.secret], label: [made.secret] } });

  const rotated = CreatedKey.parse(
    (await ask('POST', `${path}/rotate`, { headers: asOwner, mayShow: ['rotated key'] })).body,
  );
  secrets['rotated key'] = tailOf(rotated.secret);
  await use(made.secret);
  await use(rotated.secret);
  await ask('DELETE', path, { headers: asOwner });
  await use(rotated.secret);
  secrets['wrong key'] = `${randomBytes(24).toString('hex')}x`;
  await use(`loci_abcdefghijkl_${secrets['wrong key']}`);
}

/** Sends valid and invalid tokens of users and of the operator, in the right place and in wrong ones. */
export async function enterTokens(stage: Stage): Promise<void> {
  const { ask, secrets, settings } = stage;
  const sign = (expires: string, secret = settings.jwtSecret) =>
    new SignJWT({ workspaces: { [stage.workspace.id]: 'admin' } })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(settings.issuer)
      .setAudience(settings.audience)
      .setSubject('ada')
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(secret));
  const tokens = {
    token: await sign('1h'),
    'expired token': await sign('-1h'),
    'foreign token': await sign('1h', 'a secret that this service does not know'),
  };
  for (const [name, token] of Object.entries(tokens)) {
    secrets[name] = token.split('.').at(-1) ?? '';
    for (const headers of [{ Authorization: `Bearer ${token}` }, { 'X-API-Key': token }] as const)
      for (const path of ['/api/v1/collections', '/api/v1/memories', `/api/v1/contents/${token}`])
        await ask('GET', path, { headers });
  }
  const asUser = { headers: { Authorization: `Bearer ${tokens.token}` } };
  await ask('POST', '/api/v1/memories', { ...asUser, json: { memory: 'likes tea', user_id: 'ada' } });
  secrets['wrong administrator token'] = canary('admin') + canary('token');
  for (const token of [stage.adminToken, secrets['wrong administrator token']])
    for (const headers of [
      { Authorization: `Bearer ${token}` },
      { 'X-API-Key': token },
      { Authorization: token },
    ] as const)
      await ask('POST', '/api/v1/workspaces', { headers, json: { name: '' } });
}

/** Sends credentials of connections: created, changed, rejected, masked, and revealed to permitted callers. */
export async function enterCredentials(stage: Stage): Promise<void> {
  const { ask, secrets } = stage;
  const asOwner = { headers: { 'X-API-Key': stage.workspace.key } };
  const once = { headers: { ...asOwner.headers, 'Idempotency-Key': randomUUID() } };
  const place = (name: string) => (secrets[name] = canary('credential'));
  const json = {
    integration: 'tracker',
    integration_type: 'api',
    credentials: { access_token: place('credential'), nested: { refresh_token: [place('nested credential')] } },
  };
  const { id } = Created.parse((await ask('POST', '/api/v1/connections', { ...once, json })).body);
  await ask('POST', '/api/v1/connections', { ...once, json });
  const other = { ...json, credentials: { access_token: place('credential of another body') } };
  await ask('POST', '/api/v1/connections', { ...once, json: other });
  const path = `/api/v1/connections/${id}`;
  const limited = await ask('POST', '/api/v1/api-keys', {
    ...asOwner,
    json: { permissions: ['connections:read'] },
    mayShow: ['reading key'],
  });
  const reading = CreatedKey.parse(limited.body).secret;
  secrets['reading key'] = tailOf(reading);
  for (const each of [path, '/api/v1/connections', `${path}?include_credentials=true`])
    await ask('GET', each, { headers: { 'X-API-Key': reading } });
  const mayShow = ['credential', 'nested credential'];
  await ask('GET', `${path}?include_credentials=true`, { ...asOwner, mayShow });
  await ask('PATCH', path, { ...asOwner, json: { credentials: { token: place('changed credential') }, label: 7 } });
  await ask('PATCH', path, { ...asOwner, json: { credentials: { token: place('changed credential') } } });
  await ask('POST', '/api/v1/connections', {
    ...asOwner,
    json: { credentials: { [place('name')]: place('refused one') } },
  });
  await ask('POST', '/api/v1/connections', {
    ...asOwner,
    body: `{"credentials":{"token":"${place('broken')}"`,
    ...asJson(asOwner),
  });
  await ask('DELETE', path, asOwner);
  await ask('GET', `${path}?include_credentials=true`, asOwner);
}

function asJson({ headers }: { headers: Record<string, string> }): RequestOptions {
  return { headers: { ...headers, 'Content-Type': 'application/json' } };
}

/** Sends user texts wherever possible, also where they are rejected and where processing them fails. */
export async function enterWords(stage: Stage): Promise<void> {
  const { ask, words } = stage;
  const asOwner = { headers: { 'X-API-Key': stage.workspace.key } };
  const say = (what: string) => (words[what] = canary(what));
  const collection = await ask('POST', '/api/v1/collections', {
    ...asOwner,
    json: { name: say('collection'), embedding: { provider: 'lexical' }, meta_data: { note: say('setting') } },
  });
  const { id } = Created.parse(collection.body);
  const form = new FormData();
  form.append('collection_id', id);
  form.append('file', new File([`A text with ${say('text')} in it.`], `${say('filename')}.txt`));
  form.append('files', new File([`%PDF-1.4 ${say('damaged')}`], `${say('damagedname')}.pdf`));
  form.append('content', `Direct ${say('direct')}.`);
  form.append('urls', `http://${DOWNLOAD_ADDRESS}:1/${say('path')}?token=${say('query')}`);
  form.append('urls', `http://ada:${(stage.secrets['URL password'] = canary('password'))}@example.com/`);
  form.append('metadata', JSON.stringify({ [say('metakey')]: say('metavalue') }));
  form.append('description', say('description'));
  const upload = await ask('POST', '/api/v1/upload', {
    headers: { ...asOwner.headers, Prefer: 'wait=60' },
    body: form,
  });
  const { upload_id } = z.object({ upload_id: z.string() }).parse(upload.body);
  await eventually('the upload is over', async () => {
    const { body } = await ask('GET', `/api/v1/uploads/${upload_id}`, asOwner);
    return z.object({ status: z.string() }).parse(body).status !== 'running';
  });
  for (const search_type of ['keyword', 'hybrid'])
    await ask('POST', '/api/v1/collections/search', {
      ...asOwner,
      json: { collection_id: id, query: `text ${say('search')}`, search_type },
    });
  const filters = { [say('filterkey')]: { $gt: say('filtervalue') } };
  await ask('POST', '/api/v1/collections/search', { ...asOwner, json: { collection_id: id, query: 'x', filters } });
  await ask('GET', `/api/v1/contents?collection_id=${id}&${say('parameter')}=1`, asOwner);
  await ask('GET', `/api/v1/${say('address')}`, asOwner);
}

/** Sends user texts to conversations and memories, from which workflows and a chat model make summaries and memories. */
export async function enterConversations(stage: Stage): Promise<void> {
  const { ask, words } = stage;
  const asOwner = { headers: { 'X-API-Key': stage.workspace.key } };
  const say = (what: string) => (words[what] = canary(what));
  const title = { json: { title: say('title'), owner_id: say('owner') } };
  const { id } = Created.parse((await ask('POST', '/api/v1/conversations', { ...asOwner, ...title })).body);
  const content = [
    { content: `I live in ${say('message')}.`, sender_id: 'ada', tool_calls: [{ argument: say('tool') }] },
    { content: `So it is ${say('answer')}.`, role: 'assistant' },
    { content: `My cat is called ${say('cat')}.`, sender_id: 'ada' },
  ];
  const json = { conversation_id: id, content, enable_memories: true };
  await ask('POST', '/api/v1/messages', { ...asOwner, json });
  await ask('POST', '/api/v1/messages', {
    ...asOwner,
    json: { conversation_id: id, content: [{ content: 5, [say('unknownfield')]: 1 }] },
  });
  const memory = { user_id: 'ada', memory: `Knows ${say('memory')}.`, topics: [say('topic')] };
  const made = await ask('POST', '/api/v1/memories', { ...asOwner, json: memory });
  const { memory_id } = z.object({ memory_id: z.string() }).parse(made.body);
  const changes = { user_id: 'ada', memory: `Knows ${say('update')}.` };
  await ask('PUT', `/api/v1/memories/${memory_id}`, { ...asOwner, json: changes });
  for (const retrieval_method of ['keyword', 'agentic', 'hybrid'])
    await ask('POST', '/api/v1/memories/search', {
      ...asOwner,
      json: { query: `knows ${say('question')}`, retrieval_method },
    });
  await eventually('summary and memories are made', async () => {
    const conversation = await ask('GET', `/api/v1/conversations/${id}`, asOwner);
    const memories = await ask('GET', '/api/v1/memories?user_id=ada', asOwner);
    return (
      z.object({ summary: z.string().nullable() }).parse(conversation.body).summary !== null &&
      z.object({ total_count: z.int() }).parse(memories.body).total_count >= 3
    );
  });
}
