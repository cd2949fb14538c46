import { idsOf, type Entries, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

const { text, file_name, metadata_key, metadata_value, description } = CANARIES;

/** Scenarios with an archive that is replaced by one with fewer entries, and deleted. */
export const archiveScenarios = {
  'archive-replaced': {
    runs: { ingestUploadV2: 2, ingestBatchV2: 4, deleteParts: 1, deleteContent: 1 },
    keep: ['deleteParts', 'deleteContent'],
    shows: { deleteContent: ['MARKER_RECORDED'] },
    play: async (flow) => {
      await sendArchive(flow, ['one', 'two', 'three']);
      const id = await sendArchive(flow, ['one', 'two anew']);
      await until(
        () => flow.search(`three ${text}`, { search_type: 'keyword' }),
        (results) => results.every(({ content }) => !content.includes('three')),
      );
      await flow.delete(id);
    },
  },
} satisfies Record<string, Scenario>;

/** Uploads an archive; the first word of each file is its name. */
async function sendArchive(flow: Flow, files: readonly string[]): Promise<string> {
  const entries = files.map((words) => ({
    name: `${file_name}-${words.split(' ')[0]}.txt`,
    bytes: `A ${text}, ${words}.`,
  }));
  const metadata = JSON.stringify({ external_id: 'archive', [metadata_key]: metadata_value });
  const sent: Entries = [
    ['file', new File([zipFile(entries)], `${file_name}.zip`)],
    ['metadata', metadata],
    ['description', description],
  ];
  return idsOf(await flow.upload(...sent))[0];
}
