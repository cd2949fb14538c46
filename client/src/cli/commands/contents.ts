import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { runForEach, type Outcome } from '../run-for-each.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type Content = components['schemas']['Content'];

const ACTIONS = [
  ['retry', 'Ingest failed or cancelled contents again'],
  ['pause', 'Pause unfinished contents'],
  ['resume', 'Resume paused contents'],
  ['cancel', 'Cancel unfinished contents'],
] as const;

/** More contents are only counted in a question. */
const MAX_NAMED = 5;

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
  const contents = program.command('contents').description('Manage uploaded contents');
  contents
    .command('list')
    .description('List contents, oldest first')
    .option(
      '-c, --collection <id or name>',
      'only contents of this collection; by default of all accessible collections',
    )
    .addOption(new Option('--status <status>', 'only contents with this status').choices(STATUSES))
    .option(...LIMIT_OPTION)
    .action(async ({ collection, status, limit }) => {
      const loci = shell.openClient();
      const query = {
        ...(collection === undefined ? {} : { collection_id: await resolveCollectionId(loci, collection) }),
        ...(status === undefined ? {} : { status }),
      };
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/contents', { query }), formatContents);
    });
  contents
    .command('get')
    .description('Show a content')
    .argument('<id>')
    .action(async (id) => {
      const params = { path: { content_id: id } };
      shell.print(await dataOf(shell.openClient().api.GET('/api/v1/contents/{content_id}', { params })), formatRecord);
    });
  contents
    .command('delete')
    .description('Delete contents; they disappear from search immediately')
    .argument('<id...>')
    .option(...YES_OPTION)
    .action(async (ids, options) => {
      await confirm(shell, options, () => deletionQuestion(shell, ids));
      await runForEach(shell, { ids }, deleteContent(shell));
    });
  addActions(contents, shell);
}

function addActions(contents: Command, shell: Shell): void {
  for (const [name, description] of ACTIONS) {
    contents
      .command(name)
      .description(description)
      .argument('<id...>')
      .action((ids) => runForEach(shell, { ids }, changeContent(shell, name)));
  }
}

async function deletionQuestion(shell: Shell, ids: readonly string[]): Promise<string> {
  if (ids.length > MAX_NAMED) return `Delete ${ids.length} contents?`;
  const { api } = shell.openClient();
  const names: string[] = [];
  for (const id of ids) {
    const { name } = await dataOf(api.GET('/api/v1/contents/{content_id}', { params: { path: { content_id: id } } }));
    names.push(`"${name}"`);
  }
  return `Delete ${names.join(', ')}?`;
}

function deleteContent(shell: Shell): (id: string) => Promise<Outcome> {
  const { api } = shell.openClient();
  return async (id) => {
    const params = { path: { content_id: id } };
    const accepted = await dataOf(api.DELETE('/api/v1/contents/{content_id}', { params }));
    return { content_id: id, status: 'deleting', deletion_id: accepted.deletion_id };
  };
}

/** Returns a function that retries, pauses, resumes or cancels a content. */
export function changeContent(shell: Shell, name: (typeof ACTIONS)[number][0]): (id: string) => Promise<Outcome> {
  const { api } = shell.openClient();
  return async (id) => {
    const params = { path: { content_id: id } };
    const { status } = await dataOf(api.POST(`/api/v1/contents/{content_id}/${name}`, { params }));
    return { content_id: id, status };
  };
}

function formatContents(contents: readonly Content[]): string {
  if (contents.length === 0) return 'There are no contents.';
  const rows = contents.map(({ id, status, size, name, status_message }) => [
    id,
    status,
    size === null ? '-' : String(size),
    name,
    status_message ?? '',
  ]);
  return formatTable(['ID', 'STATUS', 'BYTES', 'NAME', ''], rows);
}
