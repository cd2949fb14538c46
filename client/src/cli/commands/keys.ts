import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { given } from '../given.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { repeated } from '../option-values.ts';
import type { Shell } from '../shell.ts';
import { record, table } from '../table.ts';

type ApiKey = components['schemas']['ApiKey'];

/** `loci keys` */
export function addKeys(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('API keys of the workspace');
  keys
    .command('list')
    .description('List API keys, oldest first')
    .option(...LIMIT_OPTION)
    .action(async ({ limit }) => {
      const loci = shell.open();
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/api-keys', {}), listed);
    });
  addCreate(keys, shell);
  addById(keys, shell);
}

function addCreate(keys: Command, shell: Shell): void {
  keys
    .command('create')
    .description('Create an API key; its secret is shown this once')
    .requiredOption(
      '-p, --permission <permission>',
      'such as collections:read, memories:write, or *; may be repeated',
      repeated,
    )
    .option('-l, --label <text>', 'what it is for')
    .option('-c, --collection <id>', 'reaches these collections only; may be repeated', repeated)
    .option('--ip <address or range>', 'usable from there only (CIDR); may be repeated', repeated)
    .option('--expires-at <time>', 'ISO 8601, with a time zone')
    .action(async ({ permission, label, collection, ip, expiresAt }) => {
      const optional = { label, collections: collection, ip_whitelist: ip, expires_at: expiresAt };
      const body = { permissions: permission, ...given(optional) };
      const key = await dataOf(shell.open().api.POST('/api/v1/api-keys', { body }));
      shell.print(key, record);
      shell.remark('Keep the secret: it is not shown again.');
    });
}

function addById(keys: Command, shell: Shell): void {
  keys
    .command('get')
    .description('Show an API key, without its secret')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { api_key_id: id } };
      shell.print(await dataOf(shell.open().api.GET('/api/v1/api-keys/{api_key_id}', { params })), record);
    });
  keys
    .command('rotate')
    .description('Give an API key a new secret, shown this once; the old one ends at once')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { api_key_id: id } };
      shell.print(await dataOf(shell.open().api.POST('/api/v1/api-keys/{api_key_id}/rotate', { params })), record);
      shell.remark('Keep the secret: it is not shown again.');
    });
  keys
    .command('revoke')
    .description('End an API key for good')
    .argument('<id>')
    .action(async (id) => {
      await dataOf(shell.open().api.DELETE('/api/v1/api-keys/{api_key_id}', { params: { path: { api_key_id: id } } }));
      shell.print({ id, status: 'revoked' }, () => `${id}  revoked`);
    });
}

function listed(keys: readonly ApiKey[]): string {
  const rows = keys.map(({ id, status, permissions, last_used_at, label }) => [
    id,
    status,
    permissions.join(' '),
    last_used_at ?? 'never',
    label ?? '',
  ]);
  return table(['ID', 'STATUS', 'PERMISSIONS', 'LAST USED', 'LABEL'], rows);
}
