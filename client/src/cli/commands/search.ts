import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { integer, jsonObject } from '../option-values.ts';
import { oneLine } from '../printable.ts';
import { collectionIdOf, type Shell } from '../shell.ts';

type Answer = components['schemas']['SearchResponse'];

const SNIPPET = 300;

/** `loci search` */
export function addSearch(program: Command, shell: Shell): void {
  program
    .command('search')
    .description('Search a collection')
    .argument('<query...>', 'what to look for')
    .option('-c, --collection <id or name>', 'where to look; the one of npm start by default')
    .addOption(
      new Option('-t, --type <type>', 'how')
        .choices(['hybrid', 'vector', 'keyword'] as const)
        .default('hybrid' as const),
    )
    .option('-f, --filters <json>', `conditions, such as '{"lang":"en","year":{"$gte":2020}}'`, jsonObject)
    .option('-n, --limit <number>', 'at most so many results', integer(1, 100), 10)
    .action(async (words, { collection, type, filters, limit }) => {
      const loci = shell.open();
      const body = {
        query: words.join(' '),
        collection_id: await collectionIdOf(loci, collection),
        search_type: type,
        max_results: limit,
        ...(filters === undefined ? {} : { filters }),
      };
      const found = await dataOf(loci.api.POST('/api/v1/collections/search', { body, signal: shell.signal }));
      shell.print(found, text);
    });
}

function text({ results }: Answer): string {
  if (results.length === 0) return 'Nothing was found.';
  return results
    .map(({ score, source, content, content_id }, index) => {
      const title = `${index + 1}. ${oneLine(source)}  (${score.toFixed(3)}, ${content_id})`;
      return `${title}\n   ${oneLine(content, SNIPPET)}`;
    })
    .join('\n');
}
