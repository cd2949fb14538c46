import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { formatHit } from '../format-hit.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { parseInteger, parseJsonObject } from '../option-parsers.ts';
import { requireText } from '../require-text.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';

type Answer = components['schemas']['SearchResponse'];

/** `loci search` */
export function addSearch(program: Command, shell: Shell): void {
  program
    .command('search')
    .description('Search a collection')
    .argument('<query...>', 'search query')
    .option('-c, --collection <id or name>', 'collection to search; by default the one of npm start')
    .addOption(
      new Option('-t, --type <type>', 'search type')
        .choices(['hybrid', 'vector', 'keyword'] as const)
        .default('hybrid' as const),
    )
    .option('-f, --filters <json>', `filter, such as '{"lang":"en","year":{"$gte":2020}}'`, parseJsonObject)
    .option('-n, --limit <number>', 'maximum number of results', parseInteger(1, 100), 10)
    .option('--explain', 'show the rank and score of each result in the keyword and the vector search')
    .action(async (words, { collection, type, filters, limit, explain }) => {
      requireText(words.join(' '), 'Say what to search for: loci search "how do otters sleep".');
      const loci = shell.openClient();
      const body = {
        query: words.join(' '),
        collection_id: await resolveCollectionId(loci, collection),
        search_type: type,
        max_results: limit,
        ...omitUndefined({ explain }),
        ...(filters === undefined ? {} : { filters }),
      };
      const found = await dataOf(loci.api.POST('/api/v1/collections/search', { body, signal: shell.signal }));
      shell.print(found, formatResults);
    });
}

function formatResults({ results, query }: Answer): string {
  if (results.length === 0) return 'No results.';
  return results.map((result, index) => formatHit(result, { rank: index + 1, query })).join('\n');
}
