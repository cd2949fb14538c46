/** A file with its path, if it was in a folder. */
export type DroppedFile = { name: string; file: File };

/** What was dropped. `unreadable`: paths of files and folders that the browser may not read, or that are gone. */
export type Dropped = { files: DroppedFile[]; unreadable: string[] };

/** Returns the files that were dropped, those in folders by their paths. Has to be called while the event is handled. */
export async function readDropped(data: DataTransfer): Promise<Dropped> {
  // Entries and files can be asked for during the event only.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const dropped: Dropped = { files: [], unreadable: [] };
  for (const entry of entries) await readEntry(entry, dropped);
  return dropped;
}

/** Returns chosen files, those of a chosen folder by their paths. */
export function chosenFiles(files: FileList | null): DroppedFile[] {
  return [...(files ?? [])].map((file) => ({
    name: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }));
}

/** Adds the files of an entry to those that were dropped. What cannot be read keeps back nothing else. */
async function readEntry(entry: FileSystemEntry, dropped: Dropped): Promise<void> {
  const name = entry.fullPath.replace(/^\//, '');
  try {
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      dropped.files.push({ name, file });
    } else if (isFolder(entry)) {
      await readFolder(entry, dropped);
    }
  } catch {
    dropped.unreadable.push(name);
  }
}

async function readFolder(folder: FileSystemDirectoryEntry, dropped: Dropped): Promise<void> {
  const reader = folder.createReader();
  // Each call returns some of them, the last one none.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await readEntry(one, dropped);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
