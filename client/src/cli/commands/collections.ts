import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { given } from '../given.ts';
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
  addByName(collections, shell);
}

function addByName(collections: Command, shell: Shell): void {
  const byName = (name: string, description: string) =>
    collections.command(name).description(description).argument('<id or name>');
  const of = async (loci: LociClient, one: string) => ({
    params: { path: { collection_id: await collectionIdOf(loci, one) } },
  });
  byName('get', 'Show a collection, with its statistics').action(async (one) => {
    const loci = shell.open();
    shell.print(await dataOf(loci.api.GET('/api/v1/collections/{collection_id}', await of(loci, one))), record);
  });
  byName('archive', 'Make a collection readable only').action(async (one) => {
    const loci = shell.open();
    const path = '/api/v1/collections/{collection_id}/archive';
    shell.print(await dataOf(loci.api.POST(path, await of(loci, one))), record);
  });
  byName('unarchive', 'Make an archived collection writable again').action(async (one) => {
    const loci = shell.open();
    const path = '/api/v1/collections/{collection_id}/unarchive';
    shell.print(await dataOf(loci.api.POST(path, await of(loci, one))), record);
  });
  byName('delete', 'Delete a collection, with the contents that are in no other').action(async (one) => {
    const loci = shell.open();
    const deletion = await dataOf(loci.api.DELETE('/api/v1/collections/{collection_id}', await of(loci, one)));
    shell.print(deletion, record);
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
        ...given({ description, tags: tag }),
        ...(isPublic === true ? { visibility: 'public' as const } : {}),
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
