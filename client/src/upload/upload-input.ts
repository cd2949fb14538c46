import { openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * A file on disk by path, optionally with another name, which may be a path, and with the id by which its content is recognized:
 * a content of the collection with this `externalId` is replaced. Or a file in memory.
 */
export type FileInput = string | { path: string; name?: string; externalId?: string } | File;

/** An item to upload that has not been opened yet. */
export type UploadInput = {
  source: 'file' | 'text' | 'url';
  /** As given by the caller: the path, the URL, the name of a file in memory, or `text`. */
  input: string;
  /** Name of the content in the service. */
  name: string;
  /** Id of the content in its source system; null if the bytes and the name identify it. */
  externalId: string | null;
  sizeBytes: number;
  /** Path of a file on disk. */
  path: string | null;
  /** Returns the form value. A file on disk is opened but not read. */
  open(): Promise<Blob | string>;
};

/** An item that could not be sent, or was rejected. */
export type UploadFailure = {
  input: string;
  name: string;
  source: 'file' | 'text' | 'url';
  code: string;
  message: string;
};

/** Checks a file; returns a failure if it does not exist or cannot be read. */
export async function fileInput(file: FileInput): Promise<UploadInput | UploadFailure> {
  if (file instanceof File) {
    const of = { source: 'file' as const, input: file.name, name: plainName(file.name), path: null, externalId: null };
    return { ...of, sizeBytes: file.size, open: async () => file };
  }
  const { path, name, externalId = null } = typeof file === 'string' ? { path: file } : file;
  const of = { source: 'file' as const, input: path, name: name?.normalize('NFC') ?? plainName(basename(path)) };
  try {
    const found = await stat(path);
    if (!found.isFile()) return { ...of, code: 'unreadable_file', message: 'This is not a regular file.' };
    await requireReadable(path);
    return { ...of, path, externalId, sizeBytes: found.size, open: () => openAsBlob(path) };
  } catch (error) {
    return { ...of, code: 'unreadable_file', message: unreadableReason(error) };
  }
}

export function textInput(text: string): UploadInput {
  const sizeBytes = Buffer.byteLength(text);
  const of = { source: 'text' as const, input: 'text', name: 'text', externalId: null, path: null };
  return { ...of, sizeBytes, open: async () => text };
}

export function urlInput(url: string): UploadInput {
  const of = { source: 'url' as const, input: url, name: url, externalId: null, path: null };
  return { ...of, sizeBytes: url.length, open: async () => url };
}

/** @throws the reason if a file cannot be opened. Its mode alone does not tell. */
export async function requireReadable(path: string): Promise<void> {
  const file = await open(path);
  await file.close();
}

/** Returns a message that explains why a file cannot be read. */
export function unreadableReason(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
  if (code === 'ENOENT') return 'The file does not exist.';
  if (code === 'EISDIR') return 'This is a folder, not a file.';
  if (code === 'EACCES' || code === 'EPERM') return 'The file cannot be read: permission denied.';
  return `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Returns the last part of a path, normalized like the service does. */
export function plainName(name: string): string {
  return (name.split(/[/\\]/).at(-1) ?? name).normalize('NFC');
}
