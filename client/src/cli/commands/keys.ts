import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { collectRepeated } from '../option-parsers.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type ApiKey = components['schemas']['ApiKey'];
type Permission = components['schemas']['Permission'];

/** `loci keys` */
export function addKeys(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('Manage API keys of the workspace');
  keys
    .command('list')
    .description('List API keys, oldest first')
    .option(...LIMIT_OPTION)
    .action(async ({ limit }) => {
      const loci = shell.openClient();
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/api-keys', {}), formatKeys);
    });
  addCreate(keys, shell);
  addById(keys, shell);
}

function addCreate(keys: Command, shell: Shell): void {
  keys
    .command('create')
    .description('Create an API key; its secret is shown only once')
    .requiredOption(
      '-p, --permission <permission>',
      'such as collections:read, memories:write, or *; may be repeated',
      collectRepeated,
    )
    .option('-l, --label <text>', 'purpose of the key')
    .option('-c, --collection <id or name>', 'limit the key to this collection; may be repeated', collectRepeated)
    .option('--ip <address or range>', 'limit the key to this address or CIDR range; may be repeated', collectRepeated)
    .option('--expires-at <time>', 'ISO 8601, with a time zone')
    .action(async ({ permission, label, collection, ip, expiresAt }) => {
      const loci = shell.openClient();
      const ids = collection && (await Promise.all(collection.map((one) => resolveCollectionId(loci, one))));
      const optional = { label, collections: ids, ip_whitelist: ip, expires_at: expiresAt };
      // The service checks the names, and answers an unknown one with those that exist.
      const body = { permissions: permission as Permission[], ...omitUndefined(optional) };
      const key = await dataOf(loci.api.POST('/api/v1/api-keys', { body }));
      shell.print(key, formatRecord);
      shell.printNote('Keep the secret: it is not shown again.');
    });
}

function addById(keys: Command, shell: Shell): void {
  keys
    .command('get')
    .description('Show an API key, without its secret')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { api_key_id: id } };
      shell.print(await dataOf(shell.openClient().api.GET('/api/v1/api-keys/{api_key_id}', { params })), formatRecord);
    });
  keys
    .command('rotate')
    .description(
      'Replace the secret of an API key; the new one is shown only once, the old one stops working immediately',
    )
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { api_key_id: id } };
      shell.print(
        await dataOf(shell.openClient().api.POST('/api/v1/api-keys/{api_key_id}/rotate', { params })),
        formatRecord,
      );
      shell.printNote('Keep the secret: it is not shown again.');
    });
  keys
    .command('revoke')
    .description('Permanently revoke an API key')
    .argument('<id>')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      const params = { path: { api_key_id: id } };
      await confirm(shell, options, async () => {
        const { label } = await dataOf(api.GET('/api/v1/api-keys/{api_key_id}', { params }));
        return `Revoke the API key ${label === null ? id : `"${label}"`}? Whoever uses it loses access at once.`;
      });
      await dataOf(api.DELETE('/api/v1/api-keys/{api_key_id}', { params }));
      shell.print({ id, status: 'revoked' }, () => `${id}  revoked`);
    });
}

function formatKeys(keys: readonly ApiKey[]): string {
  const rows = keys.map(({ id, status, permissions, last_used_at, label }) => [
    id,
    status,
    permissions.join(' '),
    last_used_at ?? 'never',
    label ?? '',
  ]);
  return formatTable(['ID', 'STATUS', 'PERMISSIONS', 'LAST USED', 'LABEL'], rows);
}
