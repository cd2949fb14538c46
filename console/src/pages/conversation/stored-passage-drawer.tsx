import { Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, LociError } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import type { TextRange } from '../../components/passages/marked-text.tsx';
import { WholePassage } from '../../components/passages/passage-drawer.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { passagesTexts } from '../../texts/passages-texts.ts';
import { useContent } from '../content-text/use-content-text.ts';

export type OpenedPassage = { chunkId: string; contentId: string; ranges: readonly TextRange[] };

/** Shows the passage that a stored answer cites, as it is now. */
export function StoredPassageDrawer({ opened, onClose }: { opened: OpenedPassage | null; onClose: () => void }) {
  return (
    <Drawer opened={opened !== null} onClose={onClose} position="right" size="lg" title={passagesTexts.title}>
      {opened === null ? null : <StoredPassage {...opened} />}
    </Drawer>
  );
}

function StoredPassage({ chunkId, contentId, ranges }: OpenedPassage) {
  const { may } = useSession();
  const chunk = useChunk(chunkId);
  const content = useContent(contentId, may('contents:read'));
  const { data: names } = useCollectionNames();
  if (chunk.error instanceof LociError && chunk.error.status === 404) return <Gone />;
  if (chunk.error !== null && chunk.data === undefined)
    return <ErrorNotice error={chunk.error} onRetry={() => void chunk.refetch()} />;
  if (chunk.data === undefined || content.isLoading) return <Loading />;
  const { content: text, collection_id: collectionId, metadata } = chunk.data;
  return (
    <WholePassage
      passage={{
        source: content.data?.name ?? contentId,
        contentId,
        chunkId,
        collectionId,
        text,
        ranges,
        page: metadata.page,
        headings: metadata.heading_path,
        collection: names?.get(collectionId),
      }}
    />
  );
}

/** Answers cite what was stored at the time. */
function Gone() {
  return (
    <Stack gap="xs">
      <Text fw={600}>{passagesTexts.gone.title}</Text>
      <Text size="sm" c="dimmed">
        {passagesTexts.gone.explanation}
      </Text>
    </Stack>
  );
}

function useChunk(id: string) {
  const { loci } = useSession();
  return useQuery({
    queryKey: queryKeys.chunk(id),
    queryFn: async ({ signal }) =>
      dataOf(loci.api.GET('/api/v1/chunks/{chunk_id}', { params: { path: { chunk_id: id } }, signal })),
  });
}
