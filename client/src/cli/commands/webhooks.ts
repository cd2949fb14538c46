import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { given } from '../given.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { repeated } from '../option-values.ts';
import type { Shell } from '../shell.ts';
import { record, table } from '../table.ts';

type Webhook = components['schemas']['Webhook'];
type Delivery = components['schemas']['WebhookDelivery'];

const EVENTS = [
  'compress.completed',
  'compress.failed',
  'upload.completed',
  'content.ready',
  'content.failed',
  'connection.expired',
  'connection.error',
] as const satisfies NonNullable<Webhook['events']>;
type Event = (typeof EVENTS)[number];
const STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const satisfies Delivery['status'][];

/** `loci webhooks` */
export function addWebhooks(program: Command, shell: Shell): void {
  const webhooks = program.command('webhooks').description('Webhooks of the workspace, and what was sent to them');
  webhooks
    .command('list')
    .description('List webhooks, oldest first')
    .option(...LIMIT_OPTION)
    .action(async ({ limit }) => {
      shell.print(await firstOf({ loci: shell.open(), shell, limit }, '/api/v1/webhooks', {}), listed);
    });
  webhooks
    .command('create')
    .description('Create a webhook; its secret is shown this once')
    .argument('<url>')
    .option('-e, --event <type>', `${EVENTS.join(', ')}; may be repeated; all but content.* by default`, eventTypes)
    .option('-c, --collection <id>', 'told of these collections only; may be repeated', repeated)
    .option('-d, --description <text>', 'what it is for')
    .action(async (url, { event, collection, description }) => {
      const body = { url, ...given({ events: event, collections: collection, description }) };
      shell.print(await dataOf(shell.open().api.POST('/api/v1/webhooks', { body })), record);
      shell.remark('Keep the secret: it is not shown again.');
    });
  addById(webhooks, shell);
  addDeliveries(webhooks, shell);
}

function addById(webhooks: Command, shell: Shell): void {
  webhooks
    .command('test')
    .description('Send a test event; deliveries show what became of it')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { webhook_id: id } };
      shell.print(await dataOf(shell.open().api.POST('/api/v1/webhooks/{webhook_id}/test', { params })), record);
    });
  webhooks
    .command('rotate')
    .description('Give a webhook a new secret, shown this once; the old one signs as well for 24 hours')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { webhook_id: id } };
      shell.print(await dataOf(shell.open().api.POST('/api/v1/webhooks/{webhook_id}/rotate', { params })), record);
      shell.remark('Keep the secret: it is not shown again.');
    });
  webhooks
    .command('delete')
    .description('Delete a webhook')
    .argument('<id>')
    .action(async (id) => {
      await dataOf(shell.open().api.DELETE('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } } }));
      shell.print({ id, deleted: true }, () => `${id}  deleted`);
    });
}

function addDeliveries(webhooks: Command, shell: Shell): void {
  webhooks
    .command('deliveries')
    .description('List deliveries, newest first')
    .option('-w, --webhook <id>', 'to this webhook only')
    .addOption(new Option('-s, --status <status>', 'in this state').choices(STATUSES))
    .option(...LIMIT_OPTION)
    .action(async ({ webhook, status, limit }) => {
      const query = given({ webhook_id: webhook, status });
      shell.print(
        await firstOf({ loci: shell.open(), shell, limit }, '/api/v1/webhook-deliveries', { query }),
        delivered,
      );
    });
  webhooks
    .command('redeliver')
    .description('Send a delivery that is over once more')
    .argument('<delivery id>')
    .action(async (id) => {
      const params = { path: { delivery_id: id } };
      const path = '/api/v1/webhook-deliveries/{delivery_id}/redeliver';
      shell.print(await dataOf(shell.open().api.POST(path, { params })), record);
    });
}

function eventTypes(value: string, before: Event[] | undefined): Event[] {
  const event = EVENTS.find((known) => known === value);
  if (event === undefined) throw new InvalidArgumentError(`Give one of ${EVENTS.join(', ')}.`);
  return [...(before ?? []), event];
}

function listed(webhooks: readonly Webhook[]): string {
  const rows = webhooks.map(({ id, status, events, url }) => [id, status, events?.join(' ') ?? 'all', url]);
  return table(['ID', 'STATUS', 'EVENTS', 'URL'], rows);
}

function delivered(deliveries: readonly Delivery[]): string {
  const rows = deliveries.map(({ id, status, event_type, attempts, created_at, url }) => [
    id,
    status,
    event_type,
    String(attempts.length),
    created_at,
    url,
  ]);
  return table(['ID', 'STATUS', 'EVENT', 'ATTEMPTS', 'CREATED', 'URL'], rows);
}
