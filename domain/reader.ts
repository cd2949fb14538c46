/** What reading a document yields. `text` is Markdown (or plain text, which is Markdown without marks). */
export type ReadDocument = {
  /** Extracted text, NUL-free, `\n` line ends. All offsets count UTF-16 code units of it. */
  text: string;
  /** Where each page starts, ascending; empty for formats without pages. */
  pages: readonly PageStart[];
  /** Facts about the document for `file_data`, e.g. `{page_count: 3, title: '…'}`; flat, small. */
  notes: Readonly<Record<string, string | number | boolean>>;
};

export type PageStart = { page: number; start: number };

export type ReadInput = {
  /** The bytes. */
  path: string;
  /** Media type told by content sniffing first, by name second. */
  mediaType: string;
  /** Name of the file as uploaded; a hint only. */
  name: string;
  /** True for a page of a crawl: what it is about is wanted, not what surrounds it on every page of its site. */
  mainText?: boolean;
};

export type ReadLimits = {
  /** Most UTF-8 bytes of extracted text; more is `read_output_limit`. */
  maxTextBytes: number;
  /** Time that is left for the document, after which its reader is stopped; slow readers end in time with what they have. */
  timeoutMs?: number;
};

/** Reads one family of formats. Runs in a child process only. */
export interface Reader {
  readonly name: string;
  /** Media types it reads; `text/*` stands for every one that begins so. */
  readonly mediaTypes: readonly string[];
  /** @throws AppError with an item code (`unreadable`, `encrypted`, `no_text` …) and a message that says what to do. */
  read(input: ReadInput, limits: ReadLimits): Promise<ReadDocument>;
}
