import type { Command } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { streamAnswer } from '../../stream-answer.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { collectRepeated, parseInteger, parseJsonObject } from '../option-parsers.ts';
import { oneLine, printable } from '../printable.ts';
import { requireText } from '../require-text.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';

type Answer = components['schemas']['Answer'];

/** `loci ask` */
export function addAsk(program: Command, shell: Shell): void {
  program
    .command('ask')
    .description('Answer a question from a collection, or from several, with citations')
    .argument('<question...>', 'the question')
    .option(
      '-c, --collection <id or name>',
      'collection to answer from, repeatable; by default the one of npm start',
      collectRepeated,
    )
    .option('-a, --all', 'answer from every collection that the key reaches')
    .option('-f, --filters <json>', `filter, such as '{"lang":"en"}'`, parseJsonObject)
    .option('-n, --passages <number>', 'maximum number of passages', parseInteger(1, 50), 10)
    .option('--conversation <id>', 'conversation that the question continues; question and answer are stored in it')
    .action(async (words, { collection, all, filters, passages, conversation }) => {
      const query = words.join(' ');
      requireText(query, 'Say what you want to know: loci ask "how do otters sleep".');
      const loci = shell.openClient();
      const collection_ids: string[] = [];
      for (const one of all === true ? [] : (collection ?? [undefined]))
        collection_ids.push(await resolveCollectionId(loci, one));
      const body = {
        query,
        collection_ids,
        max_results: passages,
        ...omitUndefined({ filters, conversation_id: conversation }),
      };
      if (shell.isJson()) {
        shell.print(await dataOf(loci.api.POST('/api/v1/answers', { body, signal: shell.signal })), () => '');
        return;
      }
      for await (const { event, data } of streamAnswer(loci.api, body, { signal: shell.signal })) {
        if (event === 'delta') process.stdout.write(printable(data.text));
        if (event === 'done') process.stdout.write(`\n${footnotes(data)}`);
      }
    });
}

/** The cited passages, each with the sentences that the answer rests on, and what it does not rest on. */
function footnotes({ citations, method, failed_collections: failed }: Answer): string {
  const numbers = [...new Set(citations.map(({ number }) => number))].sort((a, b) => a - b);
  const lines = numbers.flatMap((number) => {
    const cited = citations.filter((citation) => citation.number === number);
    const [first] = cited;
    if (first === undefined) return [];
    const place = first.page === null ? '' : `, page ${first.page}`;
    const quotes = new Set(cited.flatMap(({ quote }) => (quote === null ? [] : [oneLine(quote, 200)])));
    return [
      `[${number}] ${oneLine(first.source)}${place}  (${first.content_id})`,
      ...[...quotes].map((text) => `    ${text}`),
    ];
  });
  const note = method === 'sentences' ? ['No chat model is configured: these are sentences of the documents.'] : [];
  const failures = failed.map((one) => `Not searched: ${one.collection_id} (${one.code}). ${oneLine(one.message)}`);
  const all = [...lines, ...note, ...failures];
  return all.length === 0 ? '' : `\n${all.join('\n')}\n`;
}
