/** The formats that can be uploaded, for messages. */
export const KNOWN_FORMATS =
  'PDF, Word, Excel, PowerPoint (docx, xlsx, pptx), OpenDocument, EPUB, RTF, e-mail, ZIP and TAR archives, gzip files, images of text, HTML, Markdown, reStructuredText, AsciiDoc, Org, LaTeX, DocBook, JATS, FictionBook, OPML, Jupyter notebooks, CSV, JSON, plain text and source code';
