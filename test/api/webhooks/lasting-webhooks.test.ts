import test, { type ExecutionContext } from 'ava';
import { ApiKey } from '#domain/records/api-key.ts';
import { SignedIn } from '#domain/records/access/sign-in.ts';
import { Webhook } from '#domain/records/webhook.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { insertOwnKey, openOwnApi } from '#test/support/harness/own-api.ts';

/** No event of these tests is delivered to these URLs. */
const [URL, ANOTHER_URL] = ['https://webhooks.example.com/one', 'https://webhooks.example.com/another'];
const LATER = '2100-01-01T00:00:00.000Z';

/** An API with a key that has no limits. */
async function open(t: ExecutionContext) {
  const api = await openOwnApi(t);
  const owner = await insertOwnKey(api, await api.services.stores.system.insertWorkspace('one'));
  const send = (token: string, request: string, json?: object) => {
    const [method = '', path = ''] = request.split(' ');
    return api.send(path, { method, token, json });
  };
  const create = async (token: string) => send(token, 'POST /webhooks', { url: URL });
  return { api, owner, send, create };
}

test('a key that expires, or is valid from some addresses, neither creates nor redirects a webhook', async (t) => {
  const { owner, send, create } = await open(t);
  const { id } = Webhook.parse((await create(owner.secret)).body);
  for (const limit of [{ expires_at: LATER }, { ip_whitelist: ['127.0.0.0/8'] }]) {
    const made = await send(owner.secret, 'POST /api-keys', { permissions: ['*'], ...limit });
    const limited = ApiKey.parse(made.body).secret ?? '';
    const change = (json: object) => send(limited, `PATCH /webhooks/${id}`, json);
    const refused = [
      await create(limited),
      await change({ url: ANOTHER_URL }),
      await change({ events: ['content.ready'] }),
      await change({ collections: null }),
      await change({ status: 'active' }),
      await send(limited, `POST /webhooks/${id}/rotate`),
    ];
    for (const { status, body } of refused)
      t.like({ status, ...(body as object) }, { status: 403, code: 'forbidden' }, JSON.stringify({ limit, body })); // an error body, which is an object
    t.regex(JSON.stringify(refused[1]?.body), /An API key with `expires_at` or `ip_whitelist` cannot/);
    t.is((await change({ description: 'ours', batch_size: 10 })).status, 200);
    t.is((await change({ status: 'disabled' })).status, 200, 'it takes access away');
    t.is((await send(owner.secret, `PATCH /webhooks/${id}`, { status: 'active' })).status, 200);
  }
  t.like((await send(owner.secret, `GET /webhooks/${id}`)).body, { url: URL, events: null, collections: null });
});

test('the key of a sign-in creates webhooks as long as the key of its code may do so', async (t) => {
  const { api, owner, create } = await open(t);
  const code = await createSignInCode(api.services.stores, owner.key);
  const signedIn = await api.send('/sign-in', { method: 'POST', json: { code } });
  const { api_key: token } = SignedIn.parse(signedIn.body);
  t.is((await create(token)).status, 201);
  const first = (set: string) => api.database.raw(`update api_keys set ${set} where key = ?`, [owner.key]);
  await first(`expires_at = now() + interval '30 days'`);
  t.is((await create(token)).status, 403);
  await first(`expires_at = null, permissions = '{webhooks:write,uploads:read,compress:read}'`);
  t.is((await create(token)).status, 403, 'its issuer may not read events of connections');
  await first(`permissions = '{webhooks:write,uploads:read,compress:read,connections:read}'`);
  t.is((await create(token)).status, 201);
});
