import type { ServerResponse } from 'node:http';
import { docx, docxParagraph, pdf, png } from '#test/support/fixtures/documents.ts';
import { htmlPage, type SitePage } from './site-server.ts';

/** Pages of a trap site by path. */
export type TrapPages = Record<string, SitePage>;
/** Adds a page that must become a content with this status, `ready` by default. */
export type AddTrap = (path: string, page: SitePage, status?: 'ready' | 'failed') => void;

const served = (type: string, body: string | Buffer) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': type }).end(body);

/** Adds documents, other files, and pages served with a wrong content type. Returns the paths to link to. */
export function addTypes(add: AddTrap, pages: TrapPages): string[] {
  const word = docx(docxParagraph('The minutes of the assembly of the harbour board.'));
  add('/minutes.docx', served('application/vnd.openxmlformats-officedocument.wordprocessingml.document', word));
  add('/notes', served('text/plain; charset=utf-8', 'Plain notes about the lock gates.'));
  // Titles that end like files, and files without a page.
  add('/wiki/Node.js', served('text/html', htmlPage('a runtime')));
  add('/wiki/File:Harbour.jpg', served('text/html', htmlPage('a picture of the harbour')));
  pages['/program.js'] = served('text/javascript', 'run()');
  pages['/data.bin'] = served('application/octet-stream', 'A text, as far as its bytes go.');
  pages['/image.png'] = served('image/png', png());
  pages['/style.css'] = served('text/css', 'p { color: red }');
  pages['/picture'] = served('image/png', png());
  pages['/feed'] = served('application/json', '{}');
  // Pages are recognized by their bytes, whatever their content type.
  add('/plainly', served('text/plain', htmlPage('served as plain text', ['/behind-plainly'])));
  add('/behind-plainly', htmlPage('behind a page that is served as text'));
  add('/script.php', served('text/html', htmlPage('made by a program', ['/behind-script'])));
  add('/behind-script', htmlPage('behind a page that is made by a program'));
  add('/report', served('text/html', pdf([[{ text: 'A report that is served as a page.' }]])));
  pages['/photo'] = served('text/html', png());
  pages['/nothing'] = served('text/html', '');
  return [
    '/minutes.docx',
    '/notes',
    '/wiki/Node.js',
    '/wiki/File:Harbour.jpg',
    '/program.js',
    '/data.bin',
    '/image.png',
    '/style.css',
    '/picture',
    '/feed',
    '/plainly',
    '/script.php',
    '/report',
    '/photo',
    '/nothing',
  ];
}

/** Adds pages whose links carry a new session id on every visit, in the query and in the path. Returns the paths to link to. */
export function addSessions(add: AddTrap): string[] {
  let visitors = 0;
  const session = () => (visitors += 1).toString(16).padStart(32, 'a0b1c2d3');
  const visited =
    (title: string): SitePage =>
    (response) => {
      const links = ['/basket', '/basket/checkout'].flatMap((path) => [
        `${path}?PHPSESSID=${session()}`,
        `${path};jsessionid=${session().toUpperCase()}?sid=${session()}`,
      ]);
      served('text/html', htmlPage(title, links))(response);
    };
  add('/basket', visited('a basket'));
  add('/basket/checkout', visited('a checkout'));
  return ['/basket'];
}
