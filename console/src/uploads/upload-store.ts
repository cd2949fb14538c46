import type { UploadEntry } from './upload-entry.ts';

/** What is being uploaded in this tab; it goes on while other pages are open. */
let entries: readonly UploadEntry[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

export const uploadStore = {
  read: (): readonly UploadEntry[] => entries,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Adds what waits to be sent. */
  add(collectionId: string, sources: readonly { name: string; source: UploadEntry['source'] }[]): void {
    const begun = { state: 'waiting', sent: 0, uploadId: null, contentId: null, status: null, message: null } as const;
    change([...entries, ...sources.map((one) => ({ ...one, ...begun, id: nextId++, collectionId }))]);
  },
  update(ids: ReadonlySet<number>, fields: (entry: UploadEntry) => Partial<UploadEntry>): void {
    change(entries.map((entry) => (ids.has(entry.id) ? { ...entry, ...fields(entry) } : entry)));
  },
  remove(ids: ReadonlySet<number>): void {
    change(entries.filter(({ id }) => !ids.has(id)));
  },
  clear: (): void => change([]),
};

function change(next: readonly UploadEntry[]): void {
  entries = next;
  for (const listener of listeners) listener();
}
