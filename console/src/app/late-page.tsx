import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { PlainError } from '../components/plain-error.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { isUnsent } from '../uploads/upload-entry.ts';
import { uploadStore } from '../uploads/upload-store.ts';
import { fetchConsole } from './fetch-console.ts';

type Opened = { Page: ComponentType | null; error: Error | null };

/** A page whose code could not be loaded before: it is loaded again, and if that fails, it says why. */
export function LatePage({ load }: { load: () => Promise<ComponentType> }) {
  const [{ Page, error }, setOpened] = useState<Opened>({ Page: null, error: null });
  const open = useCallback(
    async (isAsked: boolean) => {
      try {
        const loaded = await load();
        setOpened({ Page: loaded, error: null });
      } catch {
        setOpened({ Page: null, error: await explainFailure(isAsked) });
      }
    },
    [load],
  );
  useEffect(() => void open(false), [open]);
  if (Page !== null) return <Page />;
  return error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void open(true)} />;
}

/**
 * If the console was built anew meanwhile, its old files are gone, and the tab is loaded anew, unless that would end uploads. If the
 * service cannot be reached, nothing is loaded anew: there would be nothing to come back to.
 */
async function explainFailure(isAsked: boolean): Promise<Error> {
  const [html, entry] = [await fetchConsole(), document.querySelector('script[src]')?.getAttribute('src')];
  const isOutdated = html !== null && entry != null && !html.includes(entry);
  if (html === null) return new PlainError(shellTexts.pageNotLoaded);
  // Browsers remember that a file could not be loaded. Loading the tab anew by itself might never end.
  if (!isOutdated && !isAsked) return new PlainError(shellTexts.pageFailed);
  if (uploadStore.read().some(isUnsent)) return new PlainError(shellTexts.pageAfterUploads);
  location.reload();
  return new Promise(() => undefined);
}
