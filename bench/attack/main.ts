/**
 * `npm run bench:attack [-- --only pages,names,uploads,metadata,compress,flood,documents]`: attacks the service from one workspace,
 * and measures how long its event loop stands still, the memory of API and worker, what is answered, and the small searches and
 * reads of another workspace meanwhile, compared with the idle service. Linux only: it reads `/proc`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { startNameServer } from '#test/support/servers/name-server.ts';
import type { Attack } from './attack.ts';
import { compressAttack } from './compress-attack.ts';
import { documentAttack } from './document-attack.ts';
import { dripAttack } from './drip-attack.ts';
import { FLOOD_LIMITS, floodAttacks } from './flood-attacks.ts';
import { measureAttack, measureService, type Observer } from './measure-attack.ts';
import { metadataAttack } from './metadata-attack.ts';
import { GOOD_ADDRESS, nameAttack } from './name-attack.ts';
import { pageAttacks } from './page-attacks.ts';
import { formatReport, type Row } from './report.ts';
import { startProbe } from './start-probe.ts';
import { createTarget } from './target.ts';
import { uploadAttacks } from './upload-attacks.ts';

const IDLE_MS = 10_000;
const WARM_UP_MS = 3_000;
const TEXTS_OF_OTHERS = 50;

/** Documents come last: what is still being read would disturb the others. */
const ATTACKS: readonly Attack[] = [
  ...pageAttacks,
  nameAttack,
  ...uploadAttacks,
  dripAttack,
  metadataAttack,
  compressAttack,
  ...floodAttacks,
  documentAttack,
];
const GROUPS = [...new Set(ATTACKS.map(({ group }) => group))];

const { values: options } = parseArgs({ options: { only: { type: 'string', default: GROUPS.join(',') } } });
const only = options.only.split(',');
const unknown = only.find((group) => !GROUPS.includes(group));
if (unknown !== undefined) throw new Error(`--only knows ${GROUPS.join(', ')}, not ${unknown}`);

const nameServer = await startNameServer(GOOD_ADDRESS);
process.env['ATTACK_NAME_SERVER'] = nameServer.address;
process.env['NODE_OPTIONS'] = `--import ${new URL('name-servers-preload.ts', import.meta.url).href}`;
try {
  const settings = { LOCI_EMBEDDER: 'lexical', LOCI_EGRESS_ALLOW: `${GOOD_ADDRESS}/32`, ...FLOOD_LIMITS };
  await withBenchStack(settings, attackInTurn);
} finally {
  nameServer.close();
}

async function attackInTurn(stack: BenchStack): Promise<void> {
  const others = await createTarget(stack);
  const texts = Array.from({ length: TEXTS_OF_OTHERS }, (_, number) => ['content', sampleText(number, 1_000)] as const);
  const { upload_id: id } = await others.upload(texts);
  await others.client.settled(id ?? '');
  const probe = startProbe(others);
  const observer: Observer = { stack, probe };
  try {
    await delay(WARM_UP_MS);
    const idle = await measureService(observer, async () => {
      await delay(IDLE_MS);
      return '';
    });
    const rows: Row[] = [];
    for (const attack of ATTACKS.filter(({ group }) => only.includes(group))) {
      const measured = await measureAttack(observer, attack);
      console.error(`${attack.title}: ${measured.answer}`);
      rows.push({ attack, measured });
    }
    console.log(formatReport(idle, rows));
  } finally {
    probe.close();
    await others.close();
  }
}
