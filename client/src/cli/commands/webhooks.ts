import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { collectRepeated } from '../option-parsers.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

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
  const webhooks = program.command('webhooks').description('Manage webhooks of the workspace and their deliveries');
  webhooks
    .command('list')
    .description('List webhooks, oldest first')
    .option(...LIMIT_OPTION)
    .action(async ({ limit }) => {
      shell.print(await fetchList({ loci: shell.openClient(), shell, limit }, '/api/v1/webhooks', {}), formatWebhooks);
    });
  webhooks
    .command('create')
    .description('Create a webhook; its secret is shown only once')
    .argument('<url>')
    .option(
      '-e, --event <type>',
      `${EVENTS.join(', ')}; may be repeated; all but content.* by default`,
      collectEventTypes,
    )
    .option('-c, --collection <id or name>', 'limit the webhook to this collection; may be repeated', collectRepeated)
    .option('-d, --description <text>', 'purpose of the webhook')
    .action(async (url, { event, collection, description }) => {
      const loci = shell.openClient();
      const ids = collection && (await Promise.all(collection.map((one) => resolveCollectionId(loci, one))));
      const body = { url, ...omitUndefined({ events: event, collections: ids, description }) };
      shell.print(await dataOf(loci.api.POST('/api/v1/webhooks', { body })), formatRecord);
      shell.printNote('Keep the secret: it is not shown again.');
    });
  addById(webhooks, shell);
  addDeliveries(webhooks, shell);
}

function addById(webhooks: Command, shell: Shell): void {
  webhooks
    .command('test')
    .description('Send a test event; deliveries shows the result')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { webhook_id: id } };
      shell.print(
        await dataOf(shell.openClient().api.POST('/api/v1/webhooks/{webhook_id}/test', { params })),
        formatRecord,
      );
    });
  webhooks
    .command('rotate')
    .description('Replace the secret of a webhook; the new one is shown only once, both sign for 24 hours')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { webhook_id: id } };
      shell.print(
        await dataOf(shell.openClient().api.POST('/api/v1/webhooks/{webhook_id}/rotate', { params })),
        formatRecord,
      );
      shell.printNote('Keep the secret: it is not shown again.');
    });
  webhooks
    .command('delete')
    .description('Delete a webhook')
    .argument('<id>')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      const params = { path: { webhook_id: id } };
      await confirm(shell, options, async () => {
        const { url, pending_deliveries: waiting } = await dataOf(api.GET('/api/v1/webhooks/{webhook_id}', { params }));
        return `Delete the webhook ${url}? ${waiting} waiting deliveries are not sent.`;
      });
      await dataOf(api.DELETE('/api/v1/webhooks/{webhook_id}', { params }));
      shell.print({ id, status: 'deleted' }, ({ status }) => `${id}  ${status}`);
    });
}

function addDeliveries(webhooks: Command, shell: Shell): void {
  webhooks
    .command('deliveries')
    .description('List deliveries, newest first')
    .option('-w, --webhook <id>', 'only deliveries to this webhook')
    .addOption(new Option('-s, --status <status>', 'only deliveries with this status').choices(STATUSES))
    .option(...LIMIT_OPTION)
    .action(async ({ webhook, status, limit }) => {
      const query = omitUndefined({ webhook_id: webhook, status });
      shell.print(
        await fetchList({ loci: shell.openClient(), shell, limit }, '/api/v1/webhook-deliveries', { query }),
        formatDeliveries,
      );
    });
  webhooks
    .command('redeliver')
    .description('Send a finished delivery again')
    .argument('<delivery id>')
    .action(async (id) => {
      const params = { path: { delivery_id: id } };
      const path = '/api/v1/webhook-deliveries/{delivery_id}/redeliver';
      shell.print(await dataOf(shell.openClient().api.POST(path, { params })), formatRecord);
    });
}

function collectEventTypes(value: string, before: Event[] | undefined): Event[] {
  const event = EVENTS.find((known) => known === value);
  if (event === undefined) throw new InvalidArgumentError(`Use one of ${EVENTS.join(', ')}.`);
  return [...(before ?? []), event];
}

function formatWebhooks(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) return 'There are no webhooks.';
  const rows = webhooks.map(({ id, status, delivery_state, pending_deliveries, events, url }) => [
    id,
    status,
    delivery_state,
    String(pending_deliveries),
    events?.join(' ') ?? 'all',
    url,
  ]);
  return formatTable(['ID', 'STATUS', 'STATE', 'PENDING', 'EVENTS', 'URL'], rows);
}

function formatDeliveries(deliveries: readonly Delivery[]): string {
  if (deliveries.length === 0) return 'There are no deliveries.';
  const rows = deliveries.map(({ id, status, event_type, attempts, created_at, url }) => [
    id,
    status,
    event_type,
    String(attempts.length),
    created_at,
    url,
    attempts.at(-1)?.error ?? '',
  ]);
  return formatTable(['ID', 'STATUS', 'EVENT', 'ATTEMPTS', 'CREATED', 'URL', 'LAST ERROR'], rows);
}
