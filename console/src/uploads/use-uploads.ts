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
  useFollowing(collectionId, openUploads(all, collectionId).length > 0);
  return all.filter((entry) => entry.collectionId === collectionId);
}

/** Uploads into a collection whose ingestion goes on. */
function openUploads(entries: readonly UploadEntry[], collectionId: string): string[] {
  const ids = entries.flatMap((one) =>
    one.collectionId !== collectionId || isEntrySettled(one) || one.uploadId === null ? [] : [one.uploadId],
  );
  return [...new Set(ids)];
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

/** Asks how far the uploads are, as long as some are not finished. */
function useFollowing(collectionId: string, hasOpen: boolean): void {
  const { loci, may } = useSession();
  const queries = useQueryClient();
  const isFollowing = hasOpen && may('uploads:read');
  useEffect(() => {
    if (!isFollowing) return undefined;
    const over = new AbortController();
    const { signal } = over;
    const follow = async () => {
      for (const uploadId of openUploads(uploadStore.read(), collectionId)) {
        const params = { path: { upload_id: uploadId }, query: { limit: MAX_CONTENTS } };
        const { contents } = await dataOf(loci.api.GET('/api/v1/uploads/{upload_id}', { params, signal }));
        showProgress(contents);
      }
      await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    // However slowly the service answers, it is asked once at a time.
    const followLater = () => {
      timer = setTimeout(() => {
        // A failure is of no interest: the next time may be better, and the list of contents shows what it is.
        const followed = follow().catch(() => undefined);
        void followed.finally(() => {
          if (!signal.aborted) followLater();
        });
      }, POLL_MS);
    };
    followLater();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [isFollowing, loci, queries, collectionId]);
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
