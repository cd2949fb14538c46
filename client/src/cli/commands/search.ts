import { type Command, Option } from '@commander-js/extra-typings';
import type { LociClient } from '../../create-loci-client.ts';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { formatHit } from '../format-hit.ts';
import { formatMissing } from '../format-missing.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { collectRepeated, parseInteger, parseJsonObject } from '../option-parsers.ts';
import { oneLine } from '../printable.ts';
import { requireText } from '../require-text.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';

type Answer = components['schemas']['SearchResponse'];

/** `loci search` */
export function addSearch(program: Command, shell: Shell): void {
  program
    .command('search')
    .description('Search a collection, or several together')
    .argument('<query...>', 'search query')
    .option(
      '-c, --collection <id or name>',
      'collection to search, repeatable; by default the one of npm start',
      collectRepeated,
    )
    .option('-a, --all', 'search every collection that the key reaches')
    .addOption(
      new Option('-t, --type <type>', 'search type')
        .choices(['hybrid', 'vector', 'keyword'] as const)
        .default('hybrid' as const),
    )
    .option('-f, --filters <json>', `filter, such as '{"lang":"en","year":{"$gte":2020}}'`, parseJsonObject)
    .option('-n, --limit <number>', 'maximum number of results', parseInteger(1, 100), 10)
    .option('--explain', 'show the rank and score of each result in the keyword and the vector search')
    .option('-r, --rerank', 'put the best 30 hits in the order of the reranking model')
    .option('--rerank-depth <number>', 'rerank this many hits instead of 30', parseInteger(1, 100))
    .option('-w, --why <content>', 'say why the content with this id is not among the results')
    .action(async (words, { collection, all, type, filters, limit, explain, rerank, rerankDepth: depth, why }) => {
      const query = words.join(' ');
      requireText(query, 'Say what to search for: loci search "how do otters sleep".');
      const loci = shell.openClient();
      const chosen = omitUndefined({ filters, rerank: depth === undefined ? rerank : { depth } });
      const asked = { query, search_type: type, max_results: limit, ...chosen };
      if (why !== undefined) return sayWhy(shell, { asked, contentId: why, collection: collection?.[0] });
      const body = {
        ...asked,
        ...(await searchedCollections(loci, all === true ? [] : (collection ?? [undefined]))),
        ...omitUndefined({ explain }),
      };
      const sent = { body, signal: shell.signal };
      return shell.print(await dataOf(loci.api.POST('/api/v1/collections/search', sent)), formatResults);
    });
}

type Asked = Omit<components['schemas']['ExplainSearchRequest'], 'content_id'>;

async function sayWhy(
  shell: Shell,
  { asked, contentId, collection }: { asked: Asked; contentId: string; collection: string | undefined },
): Promise<void> {
  const loci = shell.openClient();
  const collectionId = collection === undefined ? undefined : await resolveCollectionId(loci, collection);
  const body = { ...asked, content_id: contentId, ...omitUndefined({ collection_id: collectionId }) };
  shell.print(await dataOf(loci.api.POST('/api/v1/collections/search/explain', { body })), formatMissing);
}

/** The fields of the request that say where to search. None given: everywhere. */
async function searchedCollections(loci: LociClient, given: readonly (string | undefined)[]) {
  const ids: string[] = [];
  for (const one of given) ids.push(await resolveCollectionId(loci, one));
  const [only] = ids;
  return ids.length === 1 && only !== undefined ? { collection_id: only } : { collection_ids: ids };
}

function formatResults({ results, query, failed_collections: failed = [], not_reranked: unranked }: Answer): string {
  const hits = results.map((result, index) => formatHit(result, { rank: index + 1, query }));
  const failures = failed.map((one) => `Not searched: ${one.collection_id} (${one.code}). ${oneLine(one.message)}`);
  const notes = unranked === undefined || hits.length === 0 ? [] : [`Not reranked: ${oneLine(unranked.message)}`];
  return [...(hits.length === 0 ? ['No results.'] : hits), ...notes, ...failures].join('\n');
}
