import test from 'ava';
import { z } from 'zod';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { createKey } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startWebhookReceiver, verified } from '#test/support/servers/webhook-receiver.ts';
import { readDocument } from '#test/docs/markdown.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('a webhook is created, tested and deleted, and its deliveries are listed and redelivered', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { key } = await createKey();
  const environment = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  const run = (...args: string[]) => installed.run(['webhooks', ...args], { environment });
  const json = async <S extends z.ZodType>(schema: S, ...args: string[]): Promise<z.output<S>> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    if (code !== 0) throw new Error(`loci webhooks ${args.join(' ')} ended with ${code}: ${stderr}`);
    return schema.parse(JSON.parse(stdout));
  };
  const made = await json(Webhook, 'create', receiver.origin, '-e', 'upload.completed', '-e', 'content.failed');
  t.deepEqual(made.events, ['upload.completed', 'content.failed']);
  const wrong = await run('create', receiver.origin, '-e', 'content.nonsense');
  t.is(wrong.code, 2);
  t.regex(wrong.stderr, /content\.ready/);
  const listed = await json(z.array(Webhook), 'list');
  t.deepEqual(listed, [{ ...made, secret: null }]);

  const { id } = await json(WebhookDelivery, 'test', made.id);
  const delivered = () => json(z.array(WebhookDelivery), 'deliveries', '-w', made.id, '-s', 'delivered');
  await until(delivered, (deliveries) => deliveries.length === 1);
  const rotated = await json(Webhook, 'rotate', made.id);
  await json(WebhookDelivery, 'redeliver', id);
  await until(
    async () => receiver.received,
    (received) => received.length === 2,
  );
  for (const message of receiver.received) t.deepEqual(verified(made.secret, message), message.event);
  t.not(rotated.secret, made.secret);
  t.regex((await run('deliveries')).stdout, /webhook\.test/);
  const Deleted = z.strictObject({ id: z.string(), status: z.string() });
  t.deepEqual(await json(Deleted, 'delete', made.id, '--yes'), { id: made.id, status: 'deleted' });
  t.deepEqual(await json(z.array(Webhook), 'list'), []);
  t.is((await run('list')).stdout, 'There are no webhooks.\n');
});

test('the list of deliveries shows why a receiver on this machine is not reached', async (t) => {
  const { key } = await createKey();
  const environment = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  const run = (...args: string[]) => installed.run(['webhooks', ...args], { environment });
  const { id } = Webhook.parse(JSON.parse((await run('create', 'http://127.0.0.1:9000/hook', '--json')).stdout));
  t.is((await run('test', id)).code, 0);
  const { stdout } = await until(
    () => run('deliveries', '-w', id),
    (shown) => shown.stdout.includes('Refused'),
  );
  t.regex(stdout, /^ID +STATUS .* LAST ERROR\n/);
  const documented = readDocument('docs/webhooks.md');
  const error = /Refused to fetch .*/.exec(stdout)?.[0] ?? '';
  t.true(documented.includes(`\n${error}\n`), error);
});
