import test from 'ava';
import { zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

test('reads the comments on a slide and the replies to them, in the older and the present form', async (t) => {
  const bytes = zip({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': `<Relationships><Relationship Id="r1" Type="${OFFICE}/slide" Target="slides/slide1.xml"/></Relationships>`,
    'ppt/slides/slide1.xml':
      '<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Plan</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
    'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="c1" Type="${OFFICE}/comments" Target="../comments/comment1.xml"/><Relationship Id="c2" Type="http://schemas.microsoft.com/office/2018/10/relationships/comments" Target="../comments/modern.xml"/></Relationships>`,
    'ppt/comments/comment1.xml':
      '<p:cmLst><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>Which year &amp; month?</p:text></p:cm></p:cmLst>',
    'ppt/comments/modern.xml':
      '<p188:cmLst><p188:cm><p188:replyLst><p188:reply><p188:txBody><a:p><a:r><a:t>In spring.</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Too </a:t></a:r><a:r><a:t>early.</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
  });
  const { text } = await readBytes(bytes, { name: 's.pptx' });
  t.is(text.trim(), 'Plan\n\nComment: Which year & month?\n\nComment: Too early.\n\nComment: In spring.');
});
