import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { readDocument } from './markdown.ts';
import { recordTranscript } from './record-transcript.ts';

const PATH = 'docs/mcp-transcript.md';
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readDocument('package.json')));

test('the transcript of the Model Context Protocol is what client and service send each other', async (t) => {
  const file = join(PROJECT_DIR, PATH);
  const recorded = await format(await recordTranscript(version), {
    ...(await resolveConfig(file)),
    parser: 'markdown',
  });
  if (process.env['LOCI_TEST_TRANSCRIPT'] === 'record') await writeFile(file, recorded);
  t.is(recorded, readDocument(PATH), 'record it again: npm run transcript');
});
