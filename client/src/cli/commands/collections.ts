import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { dataOf } from '../../data-of.ts';
import { CURRENT_LIST } from '../../paginate.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { embeddingOf } from '../embedding-of.ts';
import { collectRepeated } from '../option-parsers.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';
import { addReembed } from './reembed.ts';

type Collection = components['schemas']['Collection'];

/** `loci collections` */
export function addCollections(program: Command, shell: Shell): void {
  const collections = program.command('collections').description('Manage collections of contents');
  addList(collections, shell);
  addCreate(collections, shell);
  addByName(collections, shell);
  addReembed(collections, shell);
}

function addByName(collections: Command, shell: Shell): void {
  const byName = (name: string, description: string) =>
    collections.command(name).description(description).argument('<id or name>');
  const of = async (loci: LociClient, one: string) => ({
    params: { path: { collection_id: await resolveCollectionId(loci, one) } },
  });
  byName('get', 'Show a collection, with its statistics').action(async (one) => {
    const loci = shell.openClient();
    shell.print(await dataOf(loci.api.GET('/api/v1/collections/{collection_id}', await of(loci, one))), formatRecord);
  });
  byName('archive', 'Make a collection read-only').action(async (one) => {
    const loci = shell.openClient();
    const path = '/api/v1/collections/{collection_id}/archive';
    shell.print(await dataOf(loci.api.POST(path, await of(loci, one))), formatRecord);
  });
  byName('unarchive', 'Make an archived collection writable again').action(async (one) => {
    const loci = shell.openClient();
    const path = '/api/v1/collections/{collection_id}/unarchive';
    shell.print(await dataOf(loci.api.POST(path, await of(loci, one))), formatRecord);
  });
  byName('delete', 'Delete a collection and the contents that belong to no other collection')
    .option(...YES_OPTION)
    .action(async (one, options) => {
      const loci = shell.openClient();
      const target = await of(loci, one);
      await confirm(shell, options, () => deletionQuestion(loci, target.params.path.collection_id));
      shell.print(await dataOf(loci.api.DELETE('/api/v1/collections/{collection_id}', target)), formatRecord);
    });
}

async function deletionQuestion({ api }: LociClient, id: string): Promise<string> {
  const { name } = await dataOf(
    api.GET('/api/v1/collections/{collection_id}', { params: { path: { collection_id: id } } }),
  );
  const query = { collection_id: id, limit: 1 };
  const current = { params: { query }, headers: CURRENT_LIST };
  const { total_count: count } = await dataOf(api.GET('/api/v1/contents', current));
  return `Delete the collection "${name}" (${id}) with ${count} contents?`;
}

function addList(collections: Command, shell: Shell): void {
  collections
    .command('list')
    .description('List collections, oldest first')
    .option('-s, --search <text>', 'part of the name')
    .addOption(new Option('--status <status>').choices(['active', 'archived', 'deleting'] as const))
    .option('--tag <tag>', 'only collections with this tag')
    .option(...LIMIT_OPTION)
    .action(async ({ limit, ...query }) => {
      const loci = shell.openClient();
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/collections', { query }), formatCollections);
    });
}

function addCreate(collections: Command, shell: Shell): void {
  collections
    .command('create')
    .description('Create a collection')
    .argument('<name>')
    .option('-d, --description <text>')
    .option('--public', 'readable by all members of the workspace')
    .option('--tag <tag>', 'may be repeated', collectRepeated)
    .option('--embedder <name>', 'its embedder, by a name in /readyz, or local or openai; by default the default one')
    .action(async (name, { description, public: isPublic, tag, embedder }) => {
      const loci = shell.openClient();
      const body = {
        name,
        ...omitUndefined({ description, tags: tag }),
        ...(isPublic === true ? { visibility: 'public' as const } : {}),
        ...(embedder === undefined ? {} : { embedding: embeddingOf(embedder) }),
      };
      shell.print(await dataOf(loci.api.POST('/api/v1/collections', { body })), formatRecord);
    });
}

function formatCollections(collections: readonly Collection[]): string {
  if (collections.length === 0) return 'There are no collections.';
  const rows = collections.map(({ id, status, created_at, name }) => [id, status, created_at, name]);
  return formatTable(['ID', 'STATUS', 'CREATED', 'NAME'], rows);
}
