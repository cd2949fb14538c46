import { AppError } from '#domain/app-error.ts';
import type { ReaderCatalogue } from '#operations/services.ts';
import { detectFileType, detectType, needsWholeFile } from './detect-type.ts';
import { READER_NAMES, resolveReader } from './index.ts';
import {
  isMarkitdownInstalled,
  markitdownReader,
  markitdownNotInstalledError,
} from '#providers/readers/external/markitdown-reader.ts';
import { typeMismatchNotes } from './type-mismatch.ts';
import {
  unstructuredNotConfiguredError,
  UNSTRUCTURED_STRATEGIES,
} from '#providers/readers/external/unstructured-reader.ts';

/** The readers as the API needs them: their names, and which of them reads which type. Loads no parser. */
export function createReaderCatalogue({
  hasUnstructured,
  hasMarkitdown = isMarkitdownInstalled(),
}: {
  hasUnstructured: boolean;
  hasMarkitdown?: boolean;
}): ReaderCatalogue {
  const requireAvailable = (reader: string): void => {
    if (!hasUnstructured && UNSTRUCTURED_STRATEGIES.has(reader)) throw unstructuredNotConfiguredError();
    if (!hasMarkitdown && reader === markitdownReader.name) throw markitdownNotInstalledError();
  };
  return {
    names: READER_NAMES,
    async detectType(head, { checkOut, ...hints }) {
      try {
        const { mediaType } = await detectType(head, hints.sizeBytes, hints);
        if (!needsWholeFile(mediaType)) return mediaType;
        const { path, release } = await checkOut();
        try {
          return (await detectFileType(path, hints)).mediaType;
        } finally {
          await release();
        }
      } catch (error) {
        if (error instanceof AppError && error.code !== 'blob_missing') return null;
        throw error;
      }
    },
    mismatchNotes: typeMismatchNotes,
    requireAvailable,
    requireReadable(reader, mediaType) {
      requireAvailable(reader);
      resolveReader(reader, mediaType);
    },
  };
}
