import { Group, Select, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { useSearchText } from '../../components/use-search-text.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { isStatus } from './content-filter.ts';

const route = getRouteApi('/collections/$collectionId');
const texts = contentsTexts.filter;
const STATUSES = Object.entries(contentsTexts.status).map(([value, label]) => ({ value, label }));

/** The filter is in the address of the page. */
export function ContentFilters() {
  const { search, status } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useSearchText(search ?? '', (typed) => {
    void navigate({ search: (before) => ({ ...before, search: typed === '' ? undefined : typed }), replace: true });
  });
  const choose = (value: string | null) => {
    const chosen = isStatus(value) ? value : undefined;
    void navigate({ search: (before) => ({ ...before, status: chosen }), replace: true });
  };
  return (
    <Group mb="md" gap="sm">
      <TextInput
        flex={1}
        miw={200}
        maw={360}
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Select
        w={170}
        aria-label={texts.status}
        placeholder={texts.anyStatus}
        data={STATUSES}
        value={status ?? null}
        onChange={choose}
        clearable
      />
    </Group>
  );
}
