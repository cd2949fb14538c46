import { problemsOf } from '#test/support/harness/census.ts';
import type { CampaignResult } from './campaign.ts';

/** After the last kill of a round, single texts that were uploaded meanwhile must be found within this time. */
const MAX_TEXT_MS = 10_000;

/** Returns true if nothing acknowledged was lost, duplicated or left over, and every content has its expected outcome. */
export function isPassed(result: CampaignResult): boolean {
  return listFindings(result).length === 0;
}

/**
 * Lists all problems, one line each. Single texts must be found within `maxTextMs` after the last kill of their round;
 * tests pass `Infinity`, since they run beside others on machines of any speed.
 */
export function listFindings(result: CampaignResult, maxTextMs = MAX_TEXT_MS): string[] {
  return [
    ...problemsOf(result.census),
    ...result.wrongOutcomes,
    ...result.unfound,
    ...result.rounds.flatMap((round) => round.failed),
    ...result.rounds.flatMap(({ isStuck }, index) =>
      isStuck ? [`round ${index + 1}: not all contents finished`] : [],
    ),
    ...result.rounds.flatMap(({ slowestTextMs }, index) =>
      slowestTextMs > maxTextMs
        ? [
            `round ${index + 1}: single texts were found only ${(slowestTextMs / 1000).toFixed(1)} s after the last kill`,
          ]
        : [],
    ),
  ];
}

/** Formats the figures of a campaign. */
export function formatReport(result: CampaignResult): string[] {
  const { census, rounds } = result;
  const contents = rounds.flatMap((round) => round.contents);
  const count = (outcome: string) => contents.filter((content) => content.expectedOutcome === outcome).length;
  const kills = new Map<string, number>();
  for (const round of rounds)
    for (const [name, number] of Object.entries(round.kills)) kills.set(name, (kills.get(name) ?? 0) + number);
  // Chunks that a worker wrote in its last tenth of a second are not counted.
  const redone = Math.max(0, result.chunksWritten - census.chunks);
  return [
    `rounds       ${rounds.length} in ${(result.elapsedMs / 60_000).toFixed(1)} min`,
    `kills        ${[...kills].map(([name, number]) => `${name} ${number}`).join(', ')}`,
    `contents     ${contents.length} acknowledged: ${count('ready')} expected ready, ${count('cancelled')} cancelled, ${count('deleted')} deleted`,
    `chunks       ${census.chunks} published`,
    `lost         ${census.lost.length}`,
    `duplicated   ${census.duplicated.length}`,
    `orphaned     ${census.orphaned.length} (${result.orphansBefore} before the later cleanup passes)`,
    `stuck        ${census.stuck.length + rounds.filter((round) => round.isStuck).length}`,
    `wrong result ${result.wrongOutcomes.length}`,
    `not found    ${result.unfound.length}`,
    `single texts found after at most ${Math.max(...rounds.map((round) => round.slowestTextMs / 1000)).toFixed(1)} s`,
    `failed alone ${rounds.reduce((sum, round) => sum + round.crashed, 0)} (repeated_crash, ready after a retry)`,
    `failed       ${rounds.reduce((sum, round) => sum + round.failed.length, 0)} otherwise`,
    `work redone  at least ${redone} chunks more than the ${census.chunks} needed (${((100 * redone) / Math.max(1, census.chunks)).toFixed(1)} %)`,
  ];
}
