import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** A file on disk by its path, with another name if wanted; or one that is in memory. */
export type FileInput = string | { path: string; name?: string } | File;

/** One thing to upload, before it is opened. */
export type UploadInput = {
  source: 'file' | 'text' | 'url';
  /** What the caller gave: the path, the URL, the name of a file in memory, or `text`. */
  input: string;
  /** As the service calls it. */
  name: string;
  sizeBytes: number;
  /** Path of a file on disk. */
  path: string | null;
  /** What goes into the form. A file on disk is opened, not read. */
  open(): Promise<Blob | string>;
};

/** Something that was not sent, or not taken. */
export type UploadFailure = {
  input: string;
  name: string;
  source: 'file' | 'text' | 'url';
  code: string;
  message: string;
};

/** Looks at a file, which need not be there. */
export async function fileInput(file: FileInput): Promise<UploadInput | UploadFailure> {
  if (file instanceof File) {
    const of = { source: 'file' as const, input: file.name, name: plainName(file.name), path: null };
    return { ...of, sizeBytes: file.size, open: async () => file };
  }
  const { path, name = basename(path) } = typeof file === 'string' ? { path: file } : file;
  const of = { source: 'file' as const, input: path, name: plainName(name) };
  try {
    const found = await stat(path);
    if (!found.isFile()) return { ...of, code: 'unreadable_file', message: 'This is no regular file.' };
    return { ...of, path, sizeBytes: found.size, open: () => openAsBlob(path) };
  } catch (error) {
    return { ...of, code: 'unreadable_file', message: unreadable(error) };
  }
}

export function textInput(text: string): UploadInput {
  const sizeBytes = Buffer.byteLength(text);
  return { source: 'text', input: 'text', name: 'text', sizeBytes, path: null, open: async () => text };
}

export function urlInput(url: string): UploadInput {
  return { source: 'url', input: url, name: url, sizeBytes: url.length, path: null, open: async () => url };
}

/** Why a file cannot be read, for people. */
export function unreadable(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
  if (code === 'ENOENT') return 'There is no such file.';
  if (code === 'EACCES' || code === 'EPERM') return 'The file may not be read: permission denied.';
  return `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
}

/** The last part of a path, as the service keeps it. */
function plainName(name: string): string {
  return (name.split(/[/\\]/).at(-1) ?? name).normalize('NFC');
}
