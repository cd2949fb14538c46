import { Alert, List, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { Loaded } from '../../components/loaded.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { searchTexts } from '../../texts/search-texts.ts';
import type { SearchChoice } from './search-choice.ts';
import { type ExpectedContent, searchTypeOf, useMissingResult, useSearch } from './use-search.ts';

const texts = searchTexts.missing;
const SCORE = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
type Missing = Schemas['MissingResult'];

/** The reason why a document is not found, with what the service has examined. */
export function MissingReason({ choice, expected }: { choice: SearchChoice; expected: Omit<ExpectedContent, 'name'> }) {
  const missing = useMissingResult(choice, expected);
  return <Loaded query={missing}>{(data) => <Reason choice={choice} data={data} />}</Loaded>;
}

function Reason({ choice, data }: { choice: SearchChoice; data: Missing }) {
  const isOfOne = choice.collections?.length === 1;
  return (
    <Stack gap="md">
      <Alert variant="default" role="status">
        {isOfOne ? null : <Place choice={choice} missing={data} />}
        <Text size="sm" className="break-anywhere">
          {data.message}
        </Text>
        <StatusMessage missing={data} />
      </Alert>
      <Filters filters={data.filters} />
      <Terms terms={data.terms} />
      <Ranks missing={data} />
      <LostTo hits={data.lost_to} />
    </Stack>
  );
}

/** Where it is in a search of several collections. The service explains a search of one of them. */
function Place({
  choice,
  missing: { collection_id: id, content, reason },
}: {
  choice: SearchChoice;
  missing: Missing;
}) {
  const { data: names } = useCollectionNames();
  const { data: found, isPlaceholderData: isOld } = useSearch(choice, searchTypeOf(choice));
  const { collections = [] } = choice;
  const name = names?.get(id) ?? id;
  const at = found?.results.findIndex(({ content_id: one }) => one === content.id) ?? -1;
  const place = at === -1 ? texts.notShown(reason === 'found') : texts.shownAt(at + 1);
  const isSearched = collections.length === 0 || collections.includes(id);
  return (
    <>
      {found === undefined || isOld ? null : (
        <Text size="sm" fw={600}>
          {place}
        </Text>
      )}
      <Text size="sm" className="break-anywhere">
        {isSearched ? texts.examined(name) : texts.notSearched(name)}
      </Text>
    </>
  );
}

/** Why it is not ready, where the reason does not say so already. */
function StatusMessage({ missing: { message, content } }: { missing: Missing }) {
  const { status_message: status } = content;
  if (status === null || message.includes(status)) return null;
  return (
    <Text size="sm" className="break-anywhere">
      {status}
    </Text>
  );
}

function Filters({ filters }: { filters: Missing['filters'] }) {
  if (filters.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h6">
        {texts.filters}
      </Title>
      <List size="sm">
        {filters.map(({ condition, holds, seen }) => (
          <List.Item key={condition} className="break-anywhere">
            {condition}: <b>{holds ? texts.holds : texts.fails}</b>
            {seen.map(({ field, values }) => (
              <Text key={field} size="xs" c="dimmed">
                {texts.seen(field, values.length === 0 ? texts.noValue : values.join(', '))}
              </Text>
            ))}
          </List.Item>
        ))}
      </List>
    </section>
  );
}

function Terms({ terms }: { terms: Missing['terms'] }) {
  if (terms.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h6">
        {texts.words}
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.word}</Table.Th>
            <Table.Th>{texts.found}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {terms.map(({ word, found }) => (
            <Table.Tr key={word}>
              <Table.Td className="break-anywhere">{word}</Table.Td>
              <Table.Td className="break-anywhere">
                {found.length === 0 ? texts.wordMissing : found.join(', ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Ranks({ missing: { keyword, vector, rank, score } }: { missing: Missing }) {
  const places = [
    { name: searchTexts.explain.keyword, place: keyword },
    { name: searchTexts.explain.vector, place: vector },
    { name: texts.whole, place: score === null ? null : { is_matched: true, rank, score } },
  ].flatMap(({ name, place }) => (place === null ? [] : [{ name, place }]));
  if (places.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h6">
        {texts.ranks}
      </Title>
      <List size="sm">
        {places.map(({ name, place }) => (
          <List.Item key={name}>
            {name}: {placeText(place)}
          </List.Item>
        ))}
      </List>
    </section>
  );
}

function placeText({ is_matched: isMatched, rank, score }: Schemas['LegPlace']): string {
  if (!isMatched || score === null) return texts.notMatched;
  return rank === null ? texts.beyond : searchTexts.explain.rank(rank, SCORE.format(score));
}

function LostTo({ hits }: { hits: Missing['lost_to'] }) {
  if (hits.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h6">
        {texts.lostTo}
      </Title>
      <List size="sm">
        {hits.map(({ rank, source, score, chunk_id: id }) => (
          <List.Item key={id} className="break-anywhere">
            {searchTexts.rank(rank)} {source} ({SCORE.format(score)})
          </List.Item>
        ))}
      </List>
    </section>
  );
}
