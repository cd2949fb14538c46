import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { collectionIdOf, type Shell } from '../shell.ts';
import { record, table } from '../table.ts';

type Content = components['schemas']['Content'];

const STATUSES = [
  'stored',
  'pending',
  'downloading',
  'reading',
  'splitting',
  'indexing',
  'ready',
  'failed',
  'cancelled',
  'paused',
  'deleting',
] as const satisfies Content['status'][];

/** `loci contents` */
export function addContents(program: Command, shell: Shell): void {
  const contents = program.command('contents').description('What was uploaded');
  contents
    .command('list')
    .description('List contents, oldest first')
    .option('-c, --collection <id or name>', 'of this collection; of all in reach by default')
    .addOption(new Option('--status <status>', 'in this state').choices(STATUSES))
    .option(...LIMIT_OPTION)
    .action(async ({ collection, status, limit }) => {
      const loci = shell.open();
      const query = {
        ...(collection === undefined ? {} : { collection_id: await collectionIdOf(loci, collection) }),
        ...(status === undefined ? {} : { status }),
      };
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/contents', { query }), listed);
    });
  contents
    .command('get')
    .description('Show a content')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { content_id: id } };
      shell.print(await dataOf(shell.open().api.GET('/api/v1/contents/{content_id}', { params })), record);
    });
  contents
    .command('delete')
    .description('Delete contents; they are out of search at once')
    .argument('<id...>')
    .action(async (ids) => shell.print(await eachOf(ids, deletion(shell)), outcomes));
  contents
    .command('retry')
    .description('Begin again with contents that failed or were cancelled')
    .argument('<id...>')
    .action(async (ids) => shell.print(await eachOf(ids, retry(shell)), outcomes));
}

type Outcome = { content_id: string; status: string; deletion_id?: string };

function deletion(shell: Shell): (id: string) => Promise<Outcome> {
  const { api } = shell.open();
  return async (id) => {
    const params = { path: { content_id: id } };
    const accepted = await dataOf(api.DELETE('/api/v1/contents/{content_id}', { params }));
    return { content_id: id, status: 'deleting', deletion_id: accepted.deletion_id };
  };
}

function retry(shell: Shell): (id: string) => Promise<Outcome> {
  const { api } = shell.open();
  return async (id) => {
    const params = { path: { content_id: id } };
    const { status } = await dataOf(api.POST('/api/v1/contents/{content_id}/retry', { params }));
    return { content_id: id, status };
  };
}

async function eachOf(ids: readonly string[], act: (id: string) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomesOfAll: Outcome[] = [];
  for (const id of ids) outcomesOfAll.push(await act(id));
  return outcomesOfAll;
}

function outcomes(all: readonly Outcome[]): string {
  return all.map(({ content_id, status }) => `${content_id}  ${status}`).join('\n');
}

function listed(contents: readonly Content[]): string {
  if (contents.length === 0) return 'There is no content.';
  const rows = contents.map(({ id, status, size, name, status_message }) => [
    id,
    status,
    size === null ? '-' : String(size),
    name,
    status_message ?? '',
  ]);
  return table(['ID', 'STATUS', 'BYTES', 'NAME', ''], rows);
}
