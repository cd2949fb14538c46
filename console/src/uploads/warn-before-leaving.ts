import { isUnsent } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** Has the browser ask before it closes the tab while something is still to be sent: the files would be lost without a word. */
export function warnBeforeLeaving(): void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  // Browsers keep pages without such a handler in memory for going back, so it is there only while it is needed.
  uploadStore.subscribe(() => {
    if (uploadStore.read().some(isUnsent)) globalThis.addEventListener('beforeunload', warn);
    else globalThis.removeEventListener('beforeunload', warn);
  });
}
