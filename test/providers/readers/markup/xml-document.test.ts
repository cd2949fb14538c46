import test from 'ava';
import iconv from 'iconv-lite';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const DOCBOOK = `<?xml version="1.0"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "http://www.oasis-open.org/docbook/xml/4.5/docbookx.dtd" [<!ENTITY prod "Loci">]>
<!-- <article> --><book><bookinfo><title>Handbook</title><copyright><year>2026</year></copyright></bookinfo>
<chapter><title>Start&nbsp;here</title><para>Use <command>npm</command> for &prod;<footnote><para>Or yarn.</para></footnote>.</para>
<programlisting language="Bash">npm ci
npm start</programlisting>
<section><title>Prices</title><table><title>All</title><tgroup cols="2"><thead><row><entry>Item</entry><entry>Price</entry></row></thead>
<tbody><row><entry namest="c1" nameend="c2">Bolt</entry></row></tbody></tgroup></table>
<itemizedlist><listitem><para>one</para></listitem><listitem><para>two</para></listitem></itemizedlist></section></chapter></book>`;

test('reads sections, code, tables and lists of DocBook', async (t) => {
  const { text, mediaType } = await readBytes(DOCBOOK, { name: 'book.xml' });
  t.is(mediaType, 'application/docbook+xml');
  t.is(
    text.trim(),
    '# Handbook\n\n## Start here\n\nUse `npm` for &prod; (Or yarn.).\n\n```bash\nnpm ci\nnpm start\n```\n\n### Prices\n\n**All**\n\n' +
      '| Item | Price |\n| --- | --- |\n| Bolt | Bolt |\n\n- one\n- two',
  );
});

test('reads title, authors, abstract, sections, tables and references of a JATS article', async (t) => {
  const article = `<?xml version="1.0"?><article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink"><front><journal-meta><journal-id>J</journal-id></journal-meta>
<article-meta><title-group><article-title>On <italic>tides</italic></article-title></title-group><contrib-group><contrib><name><surname>Lovelace</surname><given-names>Ada</given-names></name></contrib></contrib-group>
<pub-date><year>2026</year></pub-date><abstract><p>Short.</p></abstract><kwd-group><kwd>sea</kwd><kwd>moon</kwd></kwd-group></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>See <xref rid="t1">Table 1</xref> and <inline-formula><tex-math>$a^2$</tex-math></inline-formula>.</p>
<table-wrap><label>Table 1</label><caption><title>Heights</title></caption><table><thead><tr><th>Port</th><th>m</th></tr></thead><tbody><tr><td>Kiel</td><td>2</td></tr></tbody></table></table-wrap></sec></body>
<back><ref-list><ref><mixed-citation>Ada. <source>Tides</source>. 2020.</mixed-citation></ref></ref-list></back></article>`;
  const { text, mediaType } = await readBytes(article, { name: 'article.xml' });
  t.is(mediaType, 'application/jats+xml');
  t.is(
    text.trim().replace(/ +$/gm, ''),
    '# On *tides*\n\nAda Lovelace\n\n## Abstract\n\nShort.\n\nKeywords: sea, moon\n\n## Methods\n\nSee Table 1 and $a^2$ .\n\nTable 1\n\n**Heights**\n\n' +
      '| Port | m |\n| --- | --- |\n| Kiel | 2 |\n\n## References\n\n- Ada. Tides. 2020.',
  );
});

test('keeps what looks like an entity in CDATA as it is written', async (t) => {
  const code = 'if (a && b) print("&copy; &foo; &amp;");';
  const document = `<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x"><article><para>&copy; &foo;</para><programlisting><![CDATA[${code}]]></programlisting></article>`;
  const { text } = await readBytes(`<?xml version="1.0"?>${document}`, { name: 'a.xml' });
  t.is(text, `© &foo;\n\n\`\`\`\n${code}\n\`\`\`\n`);
});

test('reads a FictionBook in its declared encoding, without its pictures', async (t) => {
  const book = `<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><author><first-name>Антон</first-name><last-name>Чехов</last-name></author><book-title>Чайка</book-title></title-info><document-info><id>x</id></document-info></description>
<body><title><p>Чайка</p></title><section><title><p>Глава</p><p>первая</p></title><p>Сад и <emphasis>озеро</emphasis><a l:href="#n1" type="note">[1]</a>.</p></section></body>
<body name="notes"><title><p>Примечания</p></title><section><p>Вода.</p></section></body><binary id="c.jpg">AAAA</binary></FictionBook>`;
  const { text, mediaType } = await readBytes(iconv.encode(book, 'windows-1251'), { name: 'b.fb2' });
  t.is(mediaType, 'application/x-fictionbook+xml');
  t.is(text.trim(), '# Чайка\n\nАнтон Чехов\n\n## Глава первая\n\nСад и *озеро* [1].\n\n## Примечания\n\nВода.');
});

test('reads an outline as nested lists with links and notes', async (t) => {
  const outline =
    '<opml version="2.0"><head><title>Feeds</title></head><body><outline text="News &amp; more"><outline text="Harbour" xmlUrl="https://example.com/rss" _note="daily"/></outline></body></opml>';
  const { text, mediaType } = await readBytes(`<?xml version="1.0"?>${outline}`, { name: 'f.opml' });
  t.is(mediaType, 'text/x-opml');
  t.is(text.trim(), '# Feeds\n\n- News & more\n  - [Harbour](https://example.com/rss)\n    daily');
  t.is((await readBytes(outline, { name: 'f.opml' })).text, text, 'also without an XML declaration');
});

test('reads other XML as source code', async (t) => {
  const { mediaType, text } = await readBytes('<?xml version="1.0"?><article><a/></article>', { name: 'a.xml' });
  t.is(mediaType, 'application/xml');
  t.true(text.startsWith('```xml'));
});
