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
import { useChosenChunk } from './use-chosen-chunk.ts';
import { useChunkedText, useContent, usePlainText } from './use-content-text.ts';

const route = getRouteApi('/collections/$collectionId/contents/$contentId');
const texts = contentsTexts.text;

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
      {content === undefined || (error !== null && deleted !== null) ? null : (
        <ContentText collectionId={collectionId} content={content} />
      )}
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
      <ContentFacts collectionId={collectionId} content={content} />
    </>
  );
}

type ContentTextProps = { collectionId: string; content: Schemas['Content'] };

function ContentText({ collectionId, content }: ContentTextProps) {
  const list = useChunkedText(collectionId, content);
  const { chunk: chosen } = route.useSearch();
  const isLooking = useChosenChunk(chosen, list);
  const { data, error, refetch } = list;
  if (error !== null && data === undefined)
    return <NoText content={content} error={error} onRetry={() => void refetch()} />;
  if (list.isLoading) return <Loading />;
  if (data === undefined || data.total === 0) return <PlainText content={content} />;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.explanation} {texts.chunks(data.total, formatCount(data.total))}
      </Text>
      <ChunkedText parts={data.parts} chosen={chosen} />
      {error === null || list.isFetchNextPageError ? null : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
      {isLooking ? <Loading /> : <MoreButton list={list} label={texts.more} />}
    </Stack>
  );
}

/** Why there is no text: only with a content that is ready it is an error. */
function NoText({ content, error, onRetry }: { content: Schemas['Content']; error: Error; onRetry: () => void }) {
  return content.status === 'ready' ? (
    <ErrorNotice error={error} onRetry={onRetry} />
  ) : (
    <EmptyState icon="document" title={texts.none} advice={error.message} />
  );
}

function PlainText({ content }: { content: Schemas['Content'] }) {
  const list = usePlainText(content);
  const { data, error, refetch } = list;
  if (error !== null && data === undefined)
    return <NoText content={content} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.withoutChunks}
      </Text>
      <div className="read-text">{data.pages.join('')}</div>
      <MoreButton list={list} label={texts.more} />
    </Stack>
  );
}
