/** Text formats that are shown as code: media type, language of the fence, file name extensions. */
const CODE: readonly (readonly [mediaType: string, language: string, extensions: string])[] = [
  ['text/x-python', 'python', 'py pyi pyw'],
  ['text/javascript', 'javascript', 'js mjs cjs jsx'],
  ['text/x-typescript', 'typescript', 'ts mts cts tsx'],
  ['text/x-java', 'java', 'java'],
  ['text/x-kotlin', 'kotlin', 'kt kts'],
  ['text/x-scala', 'scala', 'scala sc'],
  ['text/x-go', 'go', 'go'],
  ['text/x-rust', 'rust', 'rs'],
  ['text/x-c', 'c', 'c h'],
  ['text/x-c++', 'cpp', 'cc cpp cxx hh hpp hxx'],
  ['text/x-csharp', 'csharp', 'cs'],
  ['text/x-swift', 'swift', 'swift'],
  ['text/x-ruby', 'ruby', 'rb'],
  ['text/x-php', 'php', 'php'],
  ['text/x-perl', 'perl', 'pl pm'],
  ['text/x-lua', 'lua', 'lua'],
  ['text/x-r', 'r', 'r'],
  ['text/x-julia', 'julia', 'jl'],
  ['text/x-haskell', 'haskell', 'hs'],
  ['text/x-elixir', 'elixir', 'ex exs'],
  ['text/x-erlang', 'erlang', 'erl'],
  ['text/x-clojure', 'clojure', 'clj cljs edn'],
  ['text/x-shellscript', 'sh', 'sh bash zsh'],
  ['text/x-powershell', 'powershell', 'ps1'],
  ['text/x-dockerfile', 'dockerfile', 'dockerfile'],
  ['text/x-makefile', 'makefile', 'mk makefile'],
  ['text/x-protobuf', 'protobuf', 'proto'],
  ['text/x-terraform', 'hcl', 'tf hcl'],
  ['text/x-vue', 'vue', 'vue svelte'],
  ['text/x-diff', 'diff', 'diff patch'],
  ['text/x-ini', 'ini', 'ini cfg conf properties env'],
  ['text/css', 'css', 'css scss less'],
  ['application/sql', 'sql', 'sql'],
  ['application/graphql', 'graphql', 'graphql gql'],
  ['application/yaml', 'yaml', 'yaml yml'],
  ['application/toml', 'toml', 'toml'],
  ['application/xml', 'xml', 'xml xsd xsl xslt rss atom'],
  ['image/svg+xml', 'xml', 'svg'],
];

const OTHER: readonly (readonly [mediaType: string, description: string, extensions: string])[] = [
  ['text/plain', 'plain text', 'txt text log'],
  ['text/markdown', 'Markdown', 'md markdown mdown mkd mdx'],
  ['text/html', 'an HTML page', 'html htm xhtml'],
  ['text/csv', 'a CSV table', 'csv'],
  ['text/tab-separated-values', 'a tab-separated table', 'tsv tab'],
  ['application/json', 'JSON', 'json geojson ipynb webmanifest'],
  ['application/x-ndjson', 'JSON lines', 'ndjson jsonl'],
  ['application/pdf', 'a PDF document', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a Word document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'an Excel workbook', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'a PowerPoint presentation', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'an OpenDocument text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'an OpenDocument presentation', 'odp'],
  ['application/x-cfb', 'an old binary Office document', 'doc xls ppt msg'],
  ['application/epub+zip', 'an EPUB book', 'epub'],
  ['application/rtf', 'an RTF document', 'rtf'],
  ['application/zip', 'a ZIP archive', 'zip'],
  ['application/gzip', 'a gzip archive', 'gz tgz'],
  ['message/rfc822', 'an e-mail message', 'eml'],
  ['image/png', 'a PNG image', 'png'],
  ['image/jpeg', 'a JPEG image', 'jpg jpeg'],
  ['image/gif', 'a GIF image', 'gif'],
  ['image/webp', 'a WebP image', 'webp'],
  ['image/tiff', 'a TIFF image', 'tif tiff'],
  ['audio/mpeg', 'an MP3 recording', 'mp3'],
  ['video/mp4', 'an MP4 video', 'mp4'],
];

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
export const ODT = 'application/vnd.oasis.opendocument.text';
export const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
export const ODP = 'application/vnd.oasis.opendocument.presentation';
export const EPUB = 'application/epub+zip';
export const RTF = 'application/rtf';
export const EMAIL = 'message/rfc822';
/** What OCR takes. */
export const IMAGE_TYPES: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/webp',
  'image/bmp',
  'image/gif',
];

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  [...CODE, ...OTHER].flatMap(([mediaType, , extensions]) =>
    extensions.split(' ').map((extension) => [extension, mediaType] as const),
  ),
);
const LANGUAGES: ReadonlyMap<string, string> = new Map(CODE.map(([mediaType, language]) => [mediaType, language]));
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(OTHER.map(([mediaType, text]) => [mediaType, text]));

/** Media types of source code and configuration, all of them text. */
export const CODE_TYPES: readonly string[] = CODE.map(([mediaType]) => mediaType);

/** The media type a file name promises; null when it promises none. `Makefile` and `Dockerfile` count as extensions. */
export function typeOfName(name: string): string | null {
  const base = (name.split(/[/\\]/).at(-1) ?? '').toLowerCase();
  if (base === 'makefile' || base === 'dockerfile') return BY_EXTENSION.get(base) ?? null;
  const dot = base.lastIndexOf('.');
  return dot === -1 ? null : (BY_EXTENSION.get(base.slice(dot + 1)) ?? null);
}

/** The language name for a code fence; null for what is not code. */
export function languageOf(mediaType: string): string | null {
  return LANGUAGES.get(mediaType) ?? null;
}

/** For messages: `a PNG image`, `a file of type application/x-foo`. */
export function describeType(mediaType: string): string {
  const language = LANGUAGES.get(mediaType);
  return DESCRIPTIONS.get(mediaType) ?? (language ? `${language} source text` : `a file of type ${mediaType}`);
}

/** True for media types whose bytes are text. */
export function isTextual(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    LANGUAGES.has(mediaType) ||
    mediaType === 'application/json' ||
    mediaType === 'application/x-ndjson'
  );
}
