import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { parseInteger, parseJsonObject } from '../option-parsers.ts';
import { oneLine } from '../printable.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';

type Answer = components['schemas']['SearchResponse'];

const MAX_SNIPPET_CHARACTERS = 300;

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
    .action(async (words, { collection, type, filters, limit }) => {
      const loci = shell.openClient();
      const body = {
        query: words.join(' '),
        collection_id: await resolveCollectionId(loci, collection),
        search_type: type,
        max_results: limit,
        ...(filters === undefined ? {} : { filters }),
      };
      const found = await dataOf(loci.api.POST('/api/v1/collections/search', { body, signal: shell.signal }));
      shell.print(found, formatResults);
    });
}

function formatResults({ results }: Answer): string {
  if (results.length === 0) return 'No results.';
  return results
    .map(({ score, source, content, content_id }, index) => {
      const title = `${index + 1}. ${oneLine(source)}  (${score.toFixed(3)}, ${content_id})`;
      return `${title}\n   ${oneLine(content, MAX_SNIPPET_CHARACTERS)}`;
    })
    .join('\n');
}
