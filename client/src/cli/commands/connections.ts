import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import { LociError } from '../../loci-error.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { parseJsonObject } from '../option-parsers.ts';
import { readText } from '../read-text.ts';
import type { Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type Connection = components['schemas']['Connection'];

const STATUSES = ['active', 'inactive', 'testing', 'error', 'expired'] as const satisfies Connection['status'][];
const TYPES = [
  'connectors',
  'mcp',
  'tool',
  'model',
  'custom',
  'storage',
  'api',
] as const satisfies Connection['integration_type'][];

/** `loci connections` */
export function addConnections(program: Command, shell: Shell): void {
  const connections = program.command('connections').description('Manage connections to integrations and their tokens');
  connections
    .command('list')
    .description('List connections, oldest first')
    .option('-i, --integration <name>', 'only connections to this integration')
    .addOption(new Option('--status <status>', 'only connections with this status').choices(STATUSES))
    .option('-u, --user <id>', 'only connections of this user')
    .option(...LIMIT_OPTION)
    .action(async ({ integration, status, user, limit }) => {
      const query = omitUndefined({ integration, status, user_id: user });
      const loci = shell.openClient();
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/connections', { query }), formatConnections);
    });
  addCreate(connections, shell);
  addById(connections, shell);
}

function addCreate(connections: Command, shell: Shell): void {
  connections
    .command('create')
    .description('Create a connection')
    .argument('<integration>', 'such as github; its OAuth provider unless --config names another')
    .addOption(new Option('--type <type>', 'type of the integration').choices(TYPES).default('connectors' as const))
    .option('-l, --label <text>', 'name of the connection')
    .option('-u, --user <id>', 'user to whom the connection belongs')
    .option('--config <json>', 'settings, a JSON object without secrets', parseJsonObject)
    .option('--credentials <file>', 'file with the secrets, a JSON object; - reads standard input')
    .action(async (integration, { type, label, user, config, credentials: file }) => {
      const credentials = file === undefined ? undefined : await readCredentials(file);
      const optional = { label, user_id: user, config, credentials };
      const body = { integration, integration_type: type, ...omitUndefined(optional) };
      shell.print(await dataOf(shell.openClient().api.POST('/api/v1/connections', { body })), formatRecord);
    });
}

/** Secrets are read from a file, because other users can see the arguments of a process. */
async function readCredentials(file: string): Promise<Record<string, unknown>> {
  const text = file === '-' ? await readAll(process.stdin) : await readText(file);
  try {
    return parseJsonObject(text);
  } catch (cause) {
    const detail = `The credentials are not a JSON object, such as {"refresh_token":"…"}.`;
    throw new LociError(detail, { status: null, code: 'invalid_file', cause });
  }
}

function addById(connections: Command, shell: Shell): void {
  const byId = (name: string, description: string) =>
    connections.command(name).description(description).argument('<id>');
  const of = (id: string) => ({ params: { path: { connection_id: id } } });
  byId('get', 'Show a connection')
    .option('--credentials', 'with its credentials; masked without the permission connections:reveal')
    .action(async (id, { credentials }) => {
      const query = omitUndefined({ include_credentials: credentials });
      const params = { path: { connection_id: id }, query };
      const path = '/api/v1/connections/{connection_id}';
      shell.print(await dataOf(shell.openClient().api.GET(path, { params })), formatRecord);
    });
  byId('authorize', 'Print the URL at which the user of the connection grants access').action(async (id) => {
    const path = '/api/v1/oauth/authorize/{connection_id}';
    const answer = await dataOf(shell.openClient().api.POST(path, { ...of(id), body: {} }));
    shell.print(answer, ({ authorization_url: url }) => url);
    shell.printNote('It works once, for ten minutes, and only for the user of the connection.');
  });
  byId('refresh', 'Get new tokens now').action(async (id) => {
    const path = '/api/v1/oauth/refresh/{connection_id}';
    shell.print(await dataOf(shell.openClient().api.POST(path, of(id))), formatRecord);
  });
  byId('token', 'Show when the tokens expire, and the last problem').action(async (id) => {
    const path = '/api/v1/oauth/refresh/{connection_id}';
    shell.print(await dataOf(shell.openClient().api.GET(path, of(id))), formatRecord);
  });
  byId('delete', 'Delete a connection and its credentials')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      const path = '/api/v1/connections/{connection_id}';
      await confirm(shell, options, async () => {
        const { integration, label } = await dataOf(api.GET(path, of(id)));
        return `Delete the connection to ${integration}${label === null ? '' : ` "${label}"`} and its credentials?`;
      });
      await dataOf(api.DELETE(path, of(id)));
      shell.print({ id, status: 'deleted' }, () => `${id}  deleted`);
    });
}

function formatConnections(all: readonly Connection[]): string {
  if (all.length === 0) return 'There are no connections.';
  const rows = all.map(({ id, status, integration, user_id, label }) => [
    id,
    status,
    integration,
    user_id ?? '-',
    label ?? '',
  ]);
  return formatTable(['ID', 'STATUS', 'INTEGRATION', 'USER', 'LABEL'], rows);
}
