import { problemsOf } from '#test/support/harness/census.ts';
import type { CampaignResult } from './campaign.ts';
import type { RoundKind } from './round.ts';

/** True when nothing acknowledged was lost, nothing is there twice or too much, and all came to the end it had to. */
export function isPassed(result: CampaignResult): boolean {
  return findingsOf(result).length === 0;
}

/** Everything that is wrong, one line each. */
export function findingsOf(result: CampaignResult): string[] {
  return [
    ...problemsOf(result.census),
    ...result.wrongFates,
    ...result.unfound,
    ...result.rounds.flatMap((round) => round.failed),
    ...result.rounds.flatMap(({ isStuck }, index) => (isStuck ? [`round ${index + 1}: not all came to an end`] : [])),
  ];
}

/** The figures of a campaign, for people. */
export function reportOf(result: CampaignResult): string[] {
  const { census, rounds } = result;
  const contents = rounds.flatMap((round) => round.contents);
  const count = (fate: string) => contents.filter((content) => content.fate === fate).length;
  const kills = new Map<RoundKind, number>();
  for (const round of rounds) {
    for (const [kind, number] of Object.entries(round.kills)) {
      // The keys of the record are kinds.
      kills.set(kind as RoundKind, (kills.get(kind as RoundKind) ?? 0) + number);
    }
  }
  // What a worker wrote in its last tenth of a second is in nobody's count.
  const redone = Math.max(0, result.chunksWritten - census.chunks);
  return [
    `rounds       ${rounds.length} in ${(result.elapsedMs / 60_000).toFixed(1)} min`,
    `kills        ${[...kills].map(([kind, number]) => `${kind} ${number}`).join(', ')}`,
    `contents     ${contents.length} acknowledged: ${count('ready')} to be ready, ${count('cancelled')} cancelled, ${count('deleted')} deleted`,
    `chunks       ${census.chunks} published`,
    `lost         ${census.lost.length}`,
    `duplicated   ${census.duplicated.length}`,
    `orphaned     ${census.orphaned.length} (${result.orphansBefore} before the later passes of the upkeep)`,
    `stuck        ${census.stuck.length + rounds.filter((round) => round.isStuck).length}`,
    `wrong end    ${result.wrongFates.length}`,
    `not found    ${result.unfound.length}`,
    `failed alone ${rounds.reduce((sum, round) => sum + round.crashed, 0)} (repeated_crash, ready after a retry)`,
    `failed       ${rounds.reduce((sum, round) => sum + round.failed.length, 0)} otherwise`,
    `work redone  at least ${redone} chunks written beyond the ${census.chunks} needed (${((100 * redone) / Math.max(1, census.chunks)).toFixed(1)} %)`,
  ];
}
