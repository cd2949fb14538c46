import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import type { InstalledCommand } from './installed-command.ts';

const Report = z.strictObject({
  collection_id: z.string(),
  added: z.int(),
  replaced: z.int(),
  moved: z.int(),
  deleted: z.int(),
  kept: z.int(),
  unchanged: z.int(),
  foreign: z.int(),
  failed: z.array(z.object({ input: z.string(), code: z.string(), message: z.string() })),
});

/** Runs `loci sync` into a new collection of a new workspace. */
export async function startSync(installed: InstalledCommand) {
  const flow = await startFlow();
  const environment = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: flow.key };
  const args = (more: readonly string[]) => ['sync', '--collection', flow.collectionId, ...more];
  return {
    ...flow,
    start: (more: readonly string[], url = environment.LOCI_URL) =>
      installed.start(args(more), { environment: { ...environment, LOCI_URL: url } }),
    run: (...more: string[]) => installed.run(args(more), { environment }),
    loci: (...all: string[]) => installed.run(all, { environment }),
    async report(...more: string[]) {
      const { code, stdout, stderr } = await installed.run(args([...more, '--json']), { environment });
      if (stdout === '') throw new Error(stderr);
      return { code, ...Report.parse(JSON.parse(stdout)) };
    },
    /** The contents that are not being deleted, by name. */
    names: async () => {
      const { data } = await flow.api.get('/contents?limit=1000', z.object({ data: z.array(Content) }));
      return data.flatMap(({ name, status }) => (status === 'deleting' ? [] : [name])).toSorted();
    },
    /** Which of the words are found, in all texts about a topic. */
    async words(topic: string) {
      const found = await flow.search(topic, { search_type: 'keyword', max_results: 100 });
      return found.map(({ content }) => /is (\w+)/.exec(content)?.[1] ?? content).toSorted();
    },
  };
}
