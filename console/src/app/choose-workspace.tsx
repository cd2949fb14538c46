import { Button, Center, Paper, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BrowserClient, dataOf } from '@loci/client/browser';
import { queryKeys } from '../api/query-keys.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { EntranceHeading } from './entrance-heading.tsx';

const texts = shellTexts.workspaces;

export type ChooseWorkspaceProps = {
  loci: BrowserClient;
  /** Those that somebody is a member of. */
  ids: readonly string[];
  onChoose: (workspaceId: string) => void;
  onSignOut: () => void;
};

/** Asks users who are members of several workspaces which one they want to see. */
export function ChooseWorkspace({ loci, ids, onChoose, onSignOut }: ChooseWorkspaceProps) {
  const { data: names } = useQuery({
    queryKey: queryKeys.workspaces(ids),
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(loci.api.GET('/api/v1/workspaces', { signal }));
      return new Map(data.map(({ id, name }) => [id, name]));
    },
  });
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420} radius="lg">
        <Stack gap="lg">
          <EntranceHeading
            title={ids.length === 0 ? texts.none : texts.title}
            explanation={ids.length === 0 ? texts.noneAdvice : texts.explanation}
          />
          {ids.map((id) => (
            <Button key={id} variant="default" onClick={() => onChoose(id)}>
              {names?.get(id) ?? id}
            </Button>
          ))}
          <Button variant="subtle" onClick={onSignOut}>
            {shellTexts.signOut}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}
