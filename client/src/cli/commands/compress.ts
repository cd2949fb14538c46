import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import { fraction, integer } from '../option-values.ts';
import type { Shell } from '../shell.ts';

const MOST_TOKENS = 100_000_000;

/** `loci compress` */
export function addCompress(program: Command, shell: Shell): void {
  program
    .command('compress')
    .description('Compress a text; a question at its end or beginning says what stays')
    .argument('<file>', 'the text; - reads what is piped in')
    .addOption(
      new Option('-s, --strategy <strategy>', 'how')
        .choices(['ai_compress', 'extractive', 'dedupe'] as const)
        .default('ai_compress' as const),
    )
    .option('-r, --ratio <part>', 'part of the tokens to keep, such as 0.3', fraction)
    .option('-t, --tokens <number>', 'at most so many tokens', integer(1, MOST_TOKENS))
    .option('-q, --query <query>', 'what the result has to answer')
    .action(async (file, { strategy, ratio, tokens, query }) => {
      const loci = shell.open();
      const content = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8');
      const body = {
        content,
        strategy,
        include_metadata: true,
        ...(ratio === undefined ? {} : { target_ratio: ratio }),
        ...(tokens === undefined ? {} : { target_tokens: tokens }),
        ...(query === undefined ? {} : { query }),
      };
      const answer = await dataOf(loci.api.POST('/api/v1/compress', { body, signal: shell.signal }));
      shell.print(answer, ({ content: compressed }) => compressed ?? '');
    });
}
