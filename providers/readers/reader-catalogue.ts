import { AppError } from '../../domain/app-error.ts';
import type { ReaderCatalogue } from '../../operations/services.ts';
import { detectType } from './detect-type.ts';
import { READER_NAMES, resolveReader } from './index.ts';

/** Readers as the API knows them: their names, and which of them reads what. Loads no parser. */
export const readerCatalogue: ReaderCatalogue = {
  names: READER_NAMES,
  async detectType(head, hints) {
    try {
      return (await detectType(head, hints.sizeBytes, hints)).mediaType;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  },
  requireReadable(reader, mediaType) {
    resolveReader(reader, mediaType);
  },
};
