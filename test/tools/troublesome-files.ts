import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';

/** Files that fail, as in any large upload: one needs a password, one is truncated, one is a scan without text. */
export function troublesomeFiles(): File[] {
  const letter = docx(docxParagraph('A letter.'));
  return [
    new File([pdf([[{ text: 'Board minutes' }]], { isEncrypted: true })], 'board-minutes.pdf'),
    new File([letter.subarray(0, letter.length - 100)], 'letter.docx'),
    new File([pdf([[]])], 'scan.pdf'),
  ];
}
