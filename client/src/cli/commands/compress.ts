import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import { LociError } from '../../loci-error.ts';
import { parseFraction, parseInteger } from '../option-parsers.ts';
import { readText } from '../read-text.ts';
import { requireText } from '../require-text.ts';
import type { Shell } from '../shell.ts';

const MAX_TOKENS = 100_000_000;

/** `loci compress` */
export function addCompress(program: Command, shell: Shell): void {
  program
    .command('compress')
    .description('Compress a text; a question at its end or beginning determines what is kept')
    .argument('<file>', 'file with the text; - reads standard input')
    .addOption(
      new Option('-s, --strategy <strategy>', 'compression strategy')
        .choices(['ai_compress', 'extractive', 'dedupe'] as const)
        .default('ai_compress' as const),
    )
    .option('-r, --ratio <part>', 'share of the tokens to keep, such as 0.3', parseFraction)
    .option('-t, --tokens <number>', 'maximum number of tokens to keep', parseInteger(1, MAX_TOKENS))
    .option('-q, --query <query>', 'question that the result must answer')
    .action(async (file, { strategy, ratio, tokens, query }) => {
      const loci = shell.openClient();
      const content = file === '-' ? await readAll(process.stdin) : await readText(file);
      if (content.trim() === '') {
        const detail = `There is nothing to compress: ${file === '-' ? 'standard input' : file} is empty.`;
        throw new LociError(detail, { status: null, code: 'empty_file' });
      }
      if (query !== undefined) requireText(query, 'Give a question after --query, or leave the option out.');
      const body = {
        content,
        strategy,
        include_metadata: true,
        ...(ratio === undefined ? {} : { target_ratio: ratio }),
        ...(tokens === undefined ? {} : { target_tokens: tokens }),
        ...(query === undefined ? {} : { query }),
      };
      const answer = await dataOf(loci.api.POST('/api/v1/compress', { body, signal: shell.signal }));
      if (strategy === 'ai_compress' && answer.strategy_used !== 'ai_compress') {
        shell.printNote(answer.metadata?.note ?? 'Sentences of the text were kept instead of a rewritten text.');
      }
      shell.print(answer, ({ content: compressed }) => compressed ?? '');
    });
}
