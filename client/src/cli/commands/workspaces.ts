import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import type { Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type Workspace = components['schemas']['Workspace'];

/** `loci workspaces` */
export function addWorkspaces(program: Command, shell: Shell): void {
  const workspaces = program
    .command('workspaces')
    .description('Manage workspaces; --workspace selects one for other commands');
  workspaces
    .command('list')
    .description('List the accessible workspaces, oldest first')
    .option('--all', 'all workspaces of the service; needs the administrator token')
    .option(...LIMIT_OPTION)
    .action(async ({ all, limit }) => {
      const loci = all === true ? shell.openAdministration() : shell.openClient();
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/workspaces', {}), formatWorkspaces);
    });
  workspaces
    .command('create')
    .description(
      'Create a workspace and its first API key, whose secret is shown only once; needs the administrator token',
    )
    .argument('<name>')
    .action(async (name) => {
      const body = { name };
      const made = await dataOf(shell.openAdministration().api.POST('/api/v1/workspaces', { body }));
      shell.print(made, ({ api_key: { secret }, ...workspace }) => formatRecord({ ...workspace, secret }));
      shell.printNote('Keep the secret: it is not shown again.');
    });
  addById(workspaces, shell);
}

function addById(workspaces: Command, shell: Shell): void {
  const path = '/api/v1/workspaces/{workspace_id}';
  const byId = (name: string, description: string) =>
    workspaces.command(name).description(description).argument('<id>');
  const of = (id: string) => ({ params: { path: { workspace_id: id } } });
  byId('get', 'Show a workspace').action(async (id) => {
    shell.print(await dataOf(shell.openClient().api.GET(path, of(id))), formatRecord);
  });
  byId('rename', 'Rename a workspace')
    .argument('<name>')
    .action(async (id, name) => {
      const body = { name };
      shell.print(await dataOf(shell.openClient().api.PATCH(path, { ...of(id), body })), formatRecord);
    });
  byId('delete', 'Permanently delete a workspace with everything in it')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      await confirm(shell, options, async () => {
        const { name } = await dataOf(api.GET(path, of(id)));
        return `Delete the workspace "${name}" with all its collections, conversations, memories and keys, for ever?`;
      });
      shell.print(await dataOf(api.DELETE(path, of(id))), formatRecord);
    });
}

function formatWorkspaces(all: readonly Workspace[]): string {
  if (all.length === 0) return 'There are no workspaces.';
  return formatTable(
    ['ID', 'CREATED', 'NAME'],
    all.map(({ id, created_at, name }) => [id, created_at, name]),
  );
}
