/** The result of reading a document. `text` is Markdown; plain text counts as Markdown without markup. */
export type ReadDocument = {
  /** Extracted text without NUL characters, with `\n` line ends. All offsets are in its UTF-16 code units. */
  text: string;
  /** Start offset of each page, ascending; empty for formats without pages. */
  pages: readonly PageStart[];
  /** Facts about the document for `file_data`, such as `{page_count: 3, title: '…'}`; flat and small. */
  notes: Readonly<Record<string, string | number | boolean>>;
};

export type PageStart = { page: number; start: number };

export type ReadInput = {
  /** File with the bytes. */
  path: string;
  /** The same bytes, when they are in memory: the file need not be read. */
  bytes?: Uint8Array | undefined;
  /** Media type, detected from the content first, from the name second. */
  mediaType: string;
  /** Name of the file as uploaded; only a hint. */
  name: string;
  /** True for a crawled page: only its main text is extracted, without the navigation that every page of the site repeats. */
  mainText?: boolean;
};

export type ReadLimits = {
  /** Maximum extracted text in UTF-8 bytes; more fails with `read_output_limit`. */
  maxTextBytes: number;
  /** Remaining time for the document, after which its reader is killed. Slow readers stop earlier with a partial result. */
  timeoutMs?: number;
};

/** Reads one family of formats. Runs in a child process, except that small plain texts are read in the worker itself. */
export interface Reader {
  readonly name: string;
  /** Media types that it reads; `text/*` matches every type with that prefix. */
  readonly mediaTypes: readonly string[];
  /**
   * An empty text needs no error: the caller reports `no_text`. A reader that can say why may throw it itself.
   * @throws AppError with an item code (`unreadable`, `encrypted`, `no_text` …).
   */
  read(input: ReadInput, limits: ReadLimits): Promise<ReadDocument>;
}
