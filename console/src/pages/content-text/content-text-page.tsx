import { useState } from 'react';
import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { ContentStatus } from '../../components/content-status.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatSize } from '../../format/format-size.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { ContentMenu } from '../contents/content-menu.tsx';
import { DeleteContentDialog } from '../contents/delete-content-dialog.tsx';
import { useCollection } from '../contents/use-contents.ts';
import { ChunkedText } from './chunked-text.tsx';
import { ContentFacts } from './content-facts.tsx';
import { useContent, useContentChunks, useContentText } from './use-content-text.ts';

const route = getRouteApi('/collections/$collectionId/contents/$contentId');
const texts = contentsTexts.text;
/** A text without chunks is shown up to here. */
const MAX_PLAIN_CHARACTERS = 200_000;

/** A content: the text as it was read, in the pieces that searches find. */
export function ContentTextPage() {
  const { contentId, collectionId } = route.useParams();
  const { data: content, error, refetch } = useContent(contentId);
  const [deleted, setDeleted] = useState<Schemas['Content'] | null>(null);
  const navigate = route.useNavigate();
  const toCollection = () => void navigate({ to: '/collections/$collectionId', params: { collectionId } });
  return (
    <>
      {content === undefined ? null : (
        <ContentHeader collectionId={collectionId} content={content} onDelete={setDeleted} />
      )}
      {error !== null && deleted === null ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {content === undefined && error === null ? <Loading /> : null}
      {content === undefined || error !== null ? null : <ContentText collectionId={collectionId} content={content} />}
      {deleted === null ? null : (
        <DeleteContentDialog
          collectionId={collectionId}
          content={deleted}
          onClose={() => setDeleted(null)}
          onDeleted={toCollection}
        />
      )}
    </>
  );
}

type ContentHeaderProps = {
  collectionId: string;
  content: Schemas['Content'];
  onDelete: (content: Schemas['Content']) => void;
};

function ContentHeader({ collectionId, content, onDelete }: ContentHeaderProps) {
  const { data: collection } = useCollection(collectionId);
  const { name, type, size, status, status_message: message } = content;
  const facts = [type, size === null ? null : formatSize(size)].filter((fact) => fact !== null).join(' · ');
  const above = (
    <TextLink to="/collections/$collectionId" params={{ collectionId }} size="sm">
      {contentsTexts.back}
    </TextLink>
  );
  const actions = (
    <>
      <ContentStatus status={status} />
      {collection === undefined ? null : <ContentMenu collection={collection} content={content} onDelete={onDelete} />}
    </>
  );
  return (
    <>
      <PageHeader title={name} description={facts} above={above} actions={actions} />
      {message === null ? null : (
        <Text size="sm" mb="md" className="break-anywhere">
          {message}
        </Text>
      )}
      <ContentFacts content={content} />
    </>
  );
}

function ContentText({ collectionId, content }: { collectionId: string; content: Schemas['Content'] }) {
  const text = useContentText(content);
  const list = useContentChunks(collectionId, content);
  if (text.error !== null) {
    return content.status === 'ready' ? (
      <ErrorNotice error={text.error} onRetry={() => void text.refetch()} />
    ) : (
      <EmptyState icon="document" title={texts.none} advice={text.error.message} />
    );
  }
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (text.data === undefined || list.isLoading) return <Loading />;
  const { chunks = [], total = 0 } = list.data ?? {};
  if (chunks.length === 0) return <PlainText text={text.data} />;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.explanation} {texts.chunks(formatCount(total))}
      </Text>
      <ChunkedText text={text.data} chunks={chunks} isWhole={!list.hasNextPage} />
      <MoreButton list={list} />
    </Stack>
  );
}

function PlainText({ text }: { text: string }) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.withoutChunks}
      </Text>
      <div className="read-text">{text.slice(0, MAX_PLAIN_CHARACTERS)}</div>
      {text.length > MAX_PLAIN_CHARACTERS ? (
        <Text size="sm" c="dimmed">
          {texts.cut(formatCount(MAX_PLAIN_CHARACTERS))}
        </Text>
      ) : null}
    </Stack>
  );
}
