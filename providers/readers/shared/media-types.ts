/** Text formats that are rendered as code: media type, language of the code fence, file name extensions. */
const CODE_FORMATS: readonly (readonly [mediaType: string, language: string, extensions: string])[] = [
  ['text/x-python', 'python', 'py pyi pyw pyx'],
  ['text/javascript', 'javascript', 'js mjs cjs jsx'],
  ['text/x-typescript', 'typescript', 'ts mts cts tsx'],
  ['text/x-java', 'java', 'java'],
  ['text/x-kotlin', 'kotlin', 'kt kts'],
  ['text/x-scala', 'scala', 'scala sc'],
  ['text/x-go', 'go', 'go'],
  ['text/x-rust', 'rust', 'rs'],
  ['text/x-c', 'c', 'c h'],
  ['text/x-c++', 'cpp', 'cc cpp cxx hh hpp hxx cu cuh ino'],
  ['text/x-csharp', 'csharp', 'cs'],
  ['text/x-swift', 'swift', 'swift'],
  ['text/x-ruby', 'ruby', 'rb rake gemspec gemfile rakefile'],
  ['text/x-php', 'php', 'php'],
  ['text/x-perl', 'perl', 'pl pm'],
  ['text/x-lua', 'lua', 'lua'],
  ['text/x-r', 'r', 'r'],
  ['text/x-julia', 'julia', 'jl'],
  ['text/x-haskell', 'haskell', 'hs'],
  ['text/x-elixir', 'elixir', 'ex exs'],
  ['text/x-erlang', 'erlang', 'erl'],
  ['text/x-clojure', 'clojure', 'clj cljs edn'],
  ['text/x-shellscript', 'sh', 'sh bash zsh ksh bats'],
  ['text/x-fish', 'fish', 'fish'],
  ['text/x-bat', 'bat', 'bat cmd'],
  ['text/x-awk', 'awk', 'awk'],
  ['text/x-dart', 'dart', 'dart'],
  ['text/x-objective-c', 'objectivec', 'm mm'],
  ['text/x-groovy', 'groovy', 'groovy gradle jenkinsfile'],
  ['text/x-fsharp', 'fsharp', 'fs fsx fsi'],
  ['text/x-visual-basic', 'vb', 'vb vbs bas'],
  ['text/x-pascal', 'pascal', 'pas dpr'],
  ['text/x-fortran', 'fortran', 'f f77 f90 f95 f03'],
  ['text/x-cobol', 'cobol', 'cob cbl'],
  ['text/x-ocaml', 'ocaml', 'ml mli'],
  ['text/x-zig', 'zig', 'zig'],
  ['text/x-nim', 'nim', 'nim'],
  ['text/x-common-lisp', 'lisp', 'lisp lsp el'],
  ['text/x-scheme', 'scheme', 'scm rkt'],
  ['text/x-tcl', 'tcl', 'tcl'],
  ['text/x-asm', 'asm', 'asm s'],
  ['text/x-verilog', 'verilog', 'v sv svh'],
  ['text/x-vhdl', 'vhdl', 'vhd vhdl'],
  ['text/x-solidity', 'solidity', 'sol'],
  ['text/x-cmake', 'cmake', 'cmake'],
  ['text/x-nix', 'nix', 'nix'],
  ['text/x-starlark', 'python', 'bzl bazel star'],
  ['text/x-powershell', 'powershell', 'ps1'],
  ['text/x-dockerfile', 'dockerfile', 'dockerfile containerfile'],
  ['text/x-makefile', 'makefile', 'mk makefile gnumakefile'],
  ['text/x-protobuf', 'protobuf', 'proto'],
  ['text/x-terraform', 'hcl', 'tf tfvars hcl'],
  ['text/x-vue', 'vue', 'vue svelte'],
  ['text/x-diff', 'diff', 'diff patch'],
  ['text/x-ini', 'ini', 'ini cfg conf properties env'],
  ['text/css', 'css', 'css scss sass less'],
  ['application/sql', 'sql', 'sql'],
  ['application/graphql', 'graphql', 'graphql gql'],
  ['application/yaml', 'yaml', 'yaml yml'],
  ['application/toml', 'toml', 'toml'],
  ['application/xml', 'xml', 'xml xsd xsl xslt rss atom'],
  ['image/svg+xml', 'xml', 'svg'],
];

const OTHER_FORMATS: readonly (readonly [mediaType: string, description: string, extensions: string])[] = [
  ['text/plain', 'plain text', 'txt text log'],
  ['text/markdown', 'Markdown', 'md markdown mdown mkd mdx'],
  ['text/html', 'an HTML page', 'html htm xhtml'],
  ['text/csv', 'a CSV table', 'csv'],
  ['text/tab-separated-values', 'a tab-separated table', 'tsv tab'],
  ['application/json', 'JSON', 'json geojson webmanifest'],
  ['application/x-ndjson', 'JSON lines', 'ndjson jsonl'],
  ['application/x-ipynb+json', 'a Jupyter notebook', 'ipynb'],
  ['text/x-rst', 'reStructuredText', 'rst rest'],
  ['text/x-org', 'an Org document', 'org'],
  ['text/asciidoc', 'AsciiDoc', 'adoc asciidoc'],
  ['text/x-tex', 'LaTeX', 'tex latex ltx'],
  ['application/docbook+xml', 'a DocBook document', 'dbk docbook'],
  ['application/jats+xml', 'a JATS article', 'nxml jats'],
  ['application/x-fictionbook+xml', 'a FictionBook', 'fb2'],
  ['text/x-opml', 'an OPML outline', 'opml'],
  ['application/pdf', 'a PDF document', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a Word document', 'docx docm dotx dotm'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'an Excel workbook', 'xlsx xlsm xltx xltm'],
  [
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'a PowerPoint presentation',
    'pptx pptm ppsx ppsm potx potm',
  ],
  ['application/vnd.oasis.opendocument.text', 'an OpenDocument text', 'odt ott'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument spreadsheet', 'ods ots'],
  ['application/vnd.oasis.opendocument.presentation', 'an OpenDocument presentation', 'odp otp'],
  ['application/msword', 'an old binary Word document (.doc)', 'doc dot'],
  ['application/vnd.ms-excel', 'an old binary Excel workbook (.xls)', 'xls xlt'],
  ['application/vnd.ms-excel.sheet.binary.macroenabled.12', 'a binary Excel workbook (.xlsb)', 'xlsb'],
  ['application/vnd.ms-powerpoint', 'an old binary PowerPoint presentation (.ppt)', 'ppt pps pot'],
  ['application/vnd.ms-outlook', 'an Outlook message (.msg)', 'msg'],
  ['application/x-cfb', 'an old binary Office document', ''],
  ['application/x-encrypted-office', 'an Office document with a password', ''],
  ['application/epub+zip', 'an EPUB book', 'epub'],
  ['application/rtf', 'an RTF document', 'rtf'],
  ['application/zip', 'a ZIP archive', 'zip'],
  ['application/x-tar', 'a TAR archive', 'tar'],
  ['application/gzip', 'a gzip file', 'gz tgz'],
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
/** An OLE compound file whose directory does not identify one of the types below. */
export const COMPOUND_FILE = 'application/x-cfb';
export const DOC = 'application/msword';
export const XLS = 'application/vnd.ms-excel';
export const XLSB = 'application/vnd.ms-excel.sheet.binary.macroenabled.12';
export const PPT = 'application/vnd.ms-powerpoint';
export const MSG = 'application/vnd.ms-outlook';
/** A password-protected Office package, stored inside a compound file. */
export const ENCRYPTED_OFFICE = 'application/x-encrypted-office';
export const EPUB = 'application/epub+zip';
export const RTF = 'application/rtf';
export const EMAIL = 'message/rfc822';
export const ZIP = 'application/zip';
export const TAR = 'application/x-tar';
/** A TAR archive, or a single file, compressed with gzip. */
export const GZIP = 'application/gzip';
/** Types whose files become contents of their own. */
export const ARCHIVE_TYPES: readonly string[] = [ZIP, TAR, GZIP];
export const NOTEBOOK = 'application/x-ipynb+json';
export const RESTRUCTURED_TEXT = 'text/x-rst';
export const ORG = 'text/x-org';
export const ASCIIDOC = 'text/asciidoc';
export const LATEX = 'text/x-tex';
export const DOCBOOK_TYPE = 'application/docbook+xml';
export const JATS_TYPE = 'application/jats+xml';
export const FICTION_BOOK_TYPE = 'application/x-fictionbook+xml';
export const OPML_TYPE = 'text/x-opml';
export const TIFF = 'image/tiff';
/** Image types that OCR reads. */
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', TIFF, 'image/webp', 'image/bmp', 'image/gif'];

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  [...CODE_FORMATS, ...OTHER_FORMATS].flatMap(([mediaType, , extensions]) =>
    extensions
      .split(' ')
      .filter(Boolean)
      .map((extension) => [extension, mediaType] as const),
  ),
);
const LANGUAGES: ReadonlyMap<string, string> = new Map(
  CODE_FORMATS.map(([mediaType, language]) => [mediaType, language]),
);
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(OTHER_FORMATS.map(([mediaType, text]) => [mediaType, text]));

/** Media types of source code and configuration files, all of them text. */
export const CODE_TYPES: readonly string[] = CODE_FORMATS.map(([mediaType]) => mediaType);

/** File names without an extension that identify a format; the name itself is listed as an extension. */
const NAMES_WITHOUT_EXTENSION = /^(?:gnu)?makefile$|^(?:docker|container|jenkins|gem|rake)file$/;

/** The media type that a file name suggests; null when it suggests none. */
export function mediaTypeOfName(name: string): string | null {
  const base = (name.split(/[/\\]/).at(-1) ?? '').toLowerCase();
  if (base === 'cmakelists.txt') return BY_EXTENSION.get('cmake') ?? null;
  if (NAMES_WITHOUT_EXTENSION.test(base)) return BY_EXTENSION.get(base) ?? null;
  const dot = base.lastIndexOf('.');
  return dot === -1 ? null : (BY_EXTENSION.get(base.slice(dot + 1)) ?? null);
}

/** The usual file name extension of a media type; null for an unknown one. */
export function extensionOf(mediaType: string): string | null {
  const found = [...CODE_FORMATS, ...OTHER_FORMATS].find(([type]) => type === mediaType);
  return found?.[2].split(' ')[0] ?? null;
}

/** The language of the code fence; null for types that are not code. */
export function languageOf(mediaType: string): string | null {
  return LANGUAGES.get(mediaType) ?? null;
}

/** The name of a type for messages: `a PNG image`, `a file of type application/x-foo`. */
export function describeType(mediaType: string): string {
  const language = LANGUAGES.get(mediaType);
  return DESCRIPTIONS.get(mediaType) ?? (language ? `${language} source text` : `a file of type ${mediaType}`);
}

/** Whether files of this media type are text. */
export function isTextual(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    LANGUAGES.has(mediaType) ||
    /^application\/(?:json|x-ndjson|[\w.-]+\+(?:json|xml))$/.test(mediaType)
  );
}
