/** A file with its path, if it was in a folder. */
export type DroppedFile = { name: string; file: File };

/** Returns the files that were dropped, those in folders by their paths. Has to be called while the event is handled. */
export async function readDropped(data: DataTransfer): Promise<DroppedFile[]> {
  // Entries and files can be asked for during the event only.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map(readEntry));
  return found.flat();
}

/** Returns chosen files, those of a chosen folder by their paths. */
export function chosenFiles(files: FileList | null): DroppedFile[] {
  return [...(files ?? [])].map((file) => ({
    name: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }));
}

async function readEntry(entry: FileSystemEntry): Promise<DroppedFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ''), file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: DroppedFile[] = [];
  // Each call returns some of them, the last one none.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await readEntry(one)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
