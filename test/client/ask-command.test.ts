import test from 'ava';
import { Answer } from '#domain/records/answer.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';
import { startCommandOf } from './start-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('a question is answered with its sources', async (t) => {
  const loci = await startCommandOf(installed);
  await loci.upload(['file', new File(['# Avocets\n\nAvocets sweep their bills through mud.'], 'avocet.md')]);
  const { stdout } = await loci.run('ask', 'what do avocets sweep?', '-c', 'flow');
  t.regex(stdout, /^Avocets sweep their bills through mud\. \[1\]\n\n\[1\] avocet\.md {2}\(\S+\)\n {4}Avocets sweep/);
  t.regex(stdout, /No chat model is configured/);
  const answer = await loci.json(Answer, 'ask', 'what do avocets sweep?', '-c', 'flow');
  t.is(answer.method, 'sentences');
});

test('a question without words and a collection without a name are errors in a line', async (t) => {
  const loci = await startCommandOf(installed);
  t.like(await loci.run('ask', ' '), {
    code: 2,
    stdout: '',
    stderr: 'loci: Say what you want to know: loci ask "how do otters sleep".\n',
  });
  t.regex((await loci.run('ask', 'why?', '-c', 'nowhere')).stderr, /^loci: There is no collection called "nowhere"/);
});
