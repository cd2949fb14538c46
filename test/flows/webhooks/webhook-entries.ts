import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { eventually } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { canary, type Stage } from '#test/flows/connections/secret-entries.ts';

const Created = z.object({ id: z.string(), secret: z.string() });
const Delivery = z.object({ id: z.string() });
const Deliveries = z.object({ data: z.array(z.object({ attempts: z.array(z.unknown()) })) });
/** As many different deliveries make a receiver count as broken; it is tried a few times more. */
const DELIVERIES = 6;
const ATTEMPTS = 12;

/** Returns the secret part of a webhook secret. */
const tailOf = (secret: string) => secret.replace('whsec_', '').replace('=', '');

/** Creates webhooks with secrets and sends events to a missing receiver, so that a workflow probes it. */
export async function enterWebhooks(stage: Stage): Promise<void> {
  const { ask, secrets, words } = stage;
  const say = (what: string) => (words[what] = canary(what));
  const asOwner = { headers: { 'X-API-Key': stage.workspace.key } };
  const once = { headers: { ...asOwner.headers, 'Idempotency-Key': randomUUID() } };
  const url = `http://${DOWNLOAD_ADDRESS}:1/${say('hookpath')}?token=${say('hookquery')}`;
  const json = { url, description: say('hookdescription') };
  const create = { ...once, json, mayShow: ['webhook secret'] };
  const { id, secret } = Created.parse((await ask('POST', '/api/v1/webhooks', create)).body);
  secrets['webhook secret'] = tailOf(secret);
  await ask('POST', '/api/v1/webhooks', create);
  secrets['webhook password'] = canary('hookpassword');
  const refused = { url: `https://ada:${secrets['webhook password']}@example.com/` };
  await ask('POST', '/api/v1/webhooks', { ...asOwner, json: refused });

  const path = `/api/v1/webhooks/${id}`;
  const rotate = { ...asOwner, mayShow: ['rotated webhook secret'] };
  const rotated = Created.parse((await ask('POST', `${path}/rotate`, rotate)).body);
  secrets['rotated webhook secret'] = tailOf(rotated.secret);
  const ofWorkspace = `/api/v1/workspaces/${stage.workspace.id}/webhook-secret`;
  const show = { ...asOwner, mayShow: ['workspace webhook secret'] };
  const shown = z.object({ secret: z.string() }).parse((await ask('GET', ofWorkspace, show)).body);
  secrets['workspace webhook secret'] = tailOf(shown.secret);

  for (let number = 1; number <= DELIVERIES; number += 1) {
    const sent = Delivery.parse((await ask('POST', `${path}/test`, asOwner)).body);
    await ask('GET', `/api/v1/webhook-deliveries/${sent.id}`, asOwner);
  }
  await eventually('the receiver was probed', async () => {
    const { body } = await ask('GET', '/api/v1/webhook-deliveries', asOwner);
    return Deliveries.parse(body).data.flatMap(({ attempts }) => attempts).length >= ATTEMPTS;
  });
  for (const each of [path, '/api/v1/webhooks', '/api/v1/webhook-deliveries']) await ask('GET', each, asOwner);
  await ask('PATCH', path, { ...asOwner, json: { url: secrets['webhook password'], description: 7 } });
  await ask('DELETE', path, asOwner);
}
