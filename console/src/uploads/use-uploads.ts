import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../api/query-keys.ts';
import { useSession } from '../app/session.tsx';
import { runUploads } from './run-uploads.ts';
import { isEntrySettled, type UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

const POLL_MS = 1_500;
const MAX_CONTENTS = 1_000;

/** What is being uploaded into a collection. Its ingestion is followed while this is shown. */
export function useUploads(collectionId: string): readonly UploadEntry[] {
  const all = useSyncExternalStore(uploadStore.subscribe, uploadStore.read);
  const entries = all.filter((entry) => entry.collectionId === collectionId);
  const open = [
    ...new Set(entries.flatMap((one) => (isEntrySettled(one) || one.uploadId === null ? [] : [one.uploadId]))),
  ];
  useFollowing(collectionId, open.join(' '));
  return entries;
}

/** Adds files and addresses, and begins to send them. */
export function useAddUploads(collectionId: string) {
  const queries = useQueryClient();
  return useMemo(() => {
    const run = () => runUploads((id) => void queries.invalidateQueries({ queryKey: queryKeys.contents(id) }));
    return {
      add: (sources: Parameters<typeof uploadStore.add>[1]) => {
        uploadStore.add(collectionId, sources);
        run();
      },
      retry: ({ id }: UploadEntry) => {
        uploadStore.update(new Set([id]), () => ({ state: 'waiting', message: null }));
        run();
      },
    };
  }, [collectionId, queries]);
}

/** Asks how far these uploads are, as long as they are not finished. */
function useFollowing(collectionId: string, uploadIds: string): void {
  const { loci, may } = useSession();
  const queries = useQueryClient();
  const mayFollow = may('uploads:read');
  useEffect(() => {
    if (uploadIds === '' || !mayFollow) return undefined;
    const follow = async () => {
      for (const uploadId of uploadIds.split(' ')) {
        const params = { path: { upload_id: uploadId }, query: { limit: MAX_CONTENTS } };
        const { contents } = await dataOf(loci.api.GET('/api/v1/uploads/{upload_id}', { params }));
        showProgress(contents);
      }
      await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
    };
    // A failure is of no interest: the next time may be better, and the list of contents shows what it is.
    const timer = setInterval(() => void follow().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [uploadIds, mayFollow, loci, queries, collectionId]);
}

type Progress = { content_id: string; status: UploadEntry['status']; status_message: string | null };

function showProgress(contents: readonly Progress[]): void {
  const byId = new Map(contents.map((content) => [content.content_id, content]));
  const found = uploadStore.read().filter(({ contentId }) => contentId !== null && byId.has(contentId));
  uploadStore.update(new Set(found.map(({ id }) => id)), ({ contentId }) => {
    const content = byId.get(contentId ?? '');
    return content === undefined ? {} : { status: content.status, message: content.status_message };
  });
}
