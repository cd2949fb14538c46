/** The part in use of an optional package, which is not installed with the others. */
declare module 'markitdown-ts' {
  export class MarkItDown {
    convertBuffer(bytes: Buffer, options: { file_extension: string }): Promise<{ markdown: string } | null | undefined>;
  }
}
