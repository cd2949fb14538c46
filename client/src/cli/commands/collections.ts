import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { repeated } from '../option-values.ts';
import { collectionIdOf, type Shell } from '../shell.ts';
import { record, table } from '../table.ts';

type Collection = components['schemas']['Collection'];

/** `loci collections` */
export function addCollections(program: Command, shell: Shell): void {
  const collections = program.command('collections').description('What contents are kept in');
  addList(collections, shell);
  addCreate(collections, shell);
  collections
    .command('get')
    .description('Show a collection, with its statistics')
    .argument('<id or name>')
    .action(async (given) => {
      const loci = shell.open();
      const params = { path: { collection_id: await collectionIdOf(loci, given) } };
      shell.print(await dataOf(loci.api.GET('/api/v1/collections/{collection_id}', { params })), record);
    });
  collections
    .command('archive')
    .description('Make a collection readable only')
    .argument('<id or name>')
    .action(async (given) => {
      const loci = shell.open();
      const params = { path: { collection_id: await collectionIdOf(loci, given) } };
      shell.print(await dataOf(loci.api.POST('/api/v1/collections/{collection_id}/archive', { params })), record);
    });
  collections
    .command('unarchive')
    .description('Make an archived collection writable again')
    .argument('<id or name>')
    .action(async (given) => {
      const loci = shell.open();
      const params = { path: { collection_id: await collectionIdOf(loci, given) } };
      shell.print(await dataOf(loci.api.POST('/api/v1/collections/{collection_id}/unarchive', { params })), record);
    });
}

function addList(collections: Command, shell: Shell): void {
  collections
    .command('list')
    .description('List collections, oldest first')
    .option('-s, --search <text>', 'part of the name')
    .addOption(new Option('--status <status>').choices(['active', 'archived', 'deleting'] as const))
    .option('--tag <tag>', 'with this tag')
    .option(...LIMIT_OPTION)
    .action(async ({ limit, ...query }) => {
      const loci = shell.open();
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/collections', { query }), listed);
    });
}

function addCreate(collections: Command, shell: Shell): void {
  collections
    .command('create')
    .description('Create a collection')
    .argument('<name>')
    .option('-d, --description <text>')
    .option('--public', 'readable by everybody in the workspace')
    .option('--tag <tag>', 'may be repeated', repeated)
    .addOption(
      new Option('--embedder <name>', 'what vectors are made with').choices(['local', 'openai', 'lexical'] as const),
    )
    .action(async (name, { description, public: isPublic, tag, embedder }) => {
      const loci = shell.open();
      const body = {
        name,
        ...(description === undefined ? {} : { description }),
        ...(isPublic === true ? { visibility: 'public' as const } : {}),
        ...(tag === undefined ? {} : { tags: tag }),
        ...(embedder === undefined ? {} : { embedding: { provider: embedder } }),
      };
      shell.print(await dataOf(loci.api.POST('/api/v1/collections', { body })), record);
    });
}

function listed(collections: readonly Collection[]): string {
  if (collections.length === 0) return 'There is no collection.';
  const rows = collections.map(({ id, status, created_at, name }) => [id, status, created_at, name]);
  return table(['ID', 'STATUS', 'CREATED', 'NAME'], rows);
}
