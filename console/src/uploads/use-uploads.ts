import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useSession } from '../app/session.tsx';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { followUploads } from './follow-uploads.ts';
import { runUploads } from './run-uploads.ts';
import { isEntrySettled, isUnsent, type UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

const POLL_MS = 1_500;
/** While everything is paused, nothing changes by itself. */
const POLL_PAUSED_MS = 15_000;

/** What is being uploaded into a collection. Its ingestion is followed while this is shown. */
export function useUploads(collectionId: string): readonly UploadEntry[] {
  const all = useSyncExternalStore(uploadStore.subscribe, uploadStore.read);
  const entries = all.filter((entry) => entry.collectionId === collectionId);
  useFollowing(collectionId, entries.some(isFollowed));
  return entries;
}

/** Adds files and addresses, begins to send them, and stops that. */
export function useAddUploads(collectionId: string) {
  const queries = useQueryClient();
  return useMemo(() => {
    const run = () =>
      runUploads({
        onAccepted: (id) => void queries.invalidateQueries({ queryKey: queryKeys.contents(id) }),
        // A token is renewed, and who may no longer be here is signed out, when a query is refused.
        onRefused: () => void queries.invalidateQueries({ queryKey: queryKeys.caller() }),
      });
    return {
      add: (sources: Parameters<typeof uploadStore.add>[1]) => {
        uploadStore.add(collectionId, sources);
        run();
      },
      retry: (failed: readonly UploadEntry[]) => {
        uploadStore.update(idsOf(failed), () => ({ state: 'waiting', message: null }));
        run();
      },
      /** What is not sent yet can be sent again afterwards. */
      stop: () => {
        const unsent = uploadStore.read().filter((entry) => entry.collectionId === collectionId && isUnsent(entry));
        uploadStore.update(idsOf(unsent), () => ({ state: 'failed', message: uploadsTexts.aborted }));
      },
    };
  }, [collectionId, queries]);
}

function isFollowed(entry: UploadEntry): boolean {
  return entry.uploadId !== null && !isEntrySettled(entry);
}

function idsOf(entries: readonly UploadEntry[]): Set<number> {
  return new Set(entries.map(({ id }) => id));
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
    const rounds = followUploads(loci, collectionId);
    const follow = async () => {
      const hasChanged = await rounds.next(signal);
      if (hasChanged) await queries.invalidateQueries({ queryKey: queryKeys.contents(collectionId) });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    // However slowly the service answers, it is asked once at a time.
    const followLater = () => {
      timer = setTimeout(
        () => {
          // A failure is of no interest: the next time may be better, and the list of contents shows what it is.
          const followed = follow().catch(() => undefined);
          void followed.finally(() => {
            if (!signal.aborted) followLater();
          });
        },
        isMoving(collectionId) ? POLL_MS : POLL_PAUSED_MS,
      );
    };
    followLater();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [isFollowing, loci, queries, collectionId]);
}

function isMoving(collectionId: string): boolean {
  const entries = uploadStore.read();
  return entries.some((one) => one.collectionId === collectionId && isFollowed(one) && one.status !== 'paused');
}
