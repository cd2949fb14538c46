import { Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { searchTexts } from '../../texts/search-texts.ts';
import type { SearchType } from './search-choice.ts';

const texts = searchTexts.explain;
const SCORE = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

export type ResultExplanationProps = { result: Schemas['SearchResult']; type: SearchType };

/** The score of a result, and its place in each of the searches that ran. */
export function ResultExplanation({ result: { score, explain }, type }: ResultExplanationProps) {
  return (
    <Group gap="0 var(--mantine-spacing-md)" fz="xs" c="dimmed" component="dl" m={0}>
      <Fact name={texts.score} value={SCORE.format(score)} />
      {explain === undefined ? null : (
        <>
          {type === 'vector' ? null : <Fact name={texts.keyword} value={placeOf(explain.keyword)} />}
          {type === 'keyword' ? null : <Fact name={texts.vector} value={placeOf(explain.vector)} />}
        </>
      )}
    </Group>
  );
}

function placeOf(leg: Schemas['SearchLeg'] | null): string {
  return leg === null ? texts.none : texts.rank(leg.rank, SCORE.format(leg.score));
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <Text span inherit component="dt" style={{ display: 'inline' }}>
        {name}{' '}
      </Text>
      <Text span inherit component="dd" m={0} fw={600} style={{ display: 'inline' }}>
        {value}
      </Text>
    </div>
  );
}
