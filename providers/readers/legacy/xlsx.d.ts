/** The parts in use of SheetJS. Rows and cells of a dense sheet are arrays with gaps. */
declare module '@e965/xlsx' {
  export type Cell = {
    t: 'b' | 'd' | 'e' | 'n' | 's' | 'z';
    v?: unknown;
    w?: string;
    z?: string | number;
    c?: { t?: string }[];
  };
  export type Sheet = {
    '!data'?: (Cell[] | undefined)[];
    '!merges'?: { s: { r: number; c: number }; e: { r: number; c: number } }[];
  };
  export function read(
    bytes: Uint8Array,
    options: {
      type: 'buffer';
      dense: true;
      cellNF: boolean;
      cellText: boolean;
      cellHTML: boolean;
      cellFormula: boolean;
      bookVBA: boolean;
    },
  ): {
    SheetNames: string[];
    Sheets: Record<string, Sheet>;
    Workbook?: { WBProps?: { date1904?: boolean }; Sheets?: { Hidden?: 0 | 1 | 2 }[] };
  };
  /** Compound files, in which the old formats store their streams. */
  export const CFB: {
    read(bytes: Uint8Array, options: { type: 'buffer' }): object;
    find(file: object, name: string): { content?: Uint8Array | number[] } | null;
    /** Of these, tests make their files. */
    write(file: object, options: { type: 'buffer' }): Buffer;
    utils: { cfb_new(): object; cfb_add(file: object, name: string, content: Buffer): void };
  };
  export function write(workbook: object, options: { type: 'buffer'; bookType: 'biff8' | 'biff5' | 'xlsb' }): Buffer;
  export const utils: {
    aoa_to_sheet(rows: readonly (readonly unknown[])[]): Sheet & Record<string, Cell>;
    book_new(): { Workbook?: { Sheets?: { Hidden?: 0 | 1 | 2 }[] } };
    book_append_sheet(workbook: object, sheet: object, name: string): void;
  };
}
