import { createHash } from 'node:crypto';
import { HIDDEN_STYLE } from '#providers/readers/shared/html-to-markdown.ts';
import { CODE_LANGUAGE_CLASS } from '#providers/readers/shared/turndown.ts';

/** What is in these is never text of a page; it is where pages keep what changes at each visit. */
const NOT_TEXT: ReadonlySet<string> = new Set(
  'script,style,noscript,template,iframe,object,svg,canvas,audio,video,select,textarea,button,datalist'.split(','),
);
/** Of the attributes, those that come to stand in the text, lay it out, or say whether it is any. */
const SHOWN = 'href,alt,colspan,rowspan,start,hidden,open,aria-hidden,role,epub:type'.split(',');
/** Another one makes other fingerprints of the same page. */
const EDITION = 'page-2';

export type PageFingerprint = {
  open(tag: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(tag: string): void;
  /** With whatever else is not to have changed. */
  digest(rest: unknown): string;
};

/**
 * Tells a page by what a reader makes a text of: elements, their text, targets of links. Comments, scripts, form values, nonces, names of
 * classes and of files change between two visits of a page that says the same.
 */
export function createPageFingerprint(): PageFingerprint {
  const hash = createHash('sha256').update(EDITION);
  let within = 0;
  return {
    open(tag, attributes) {
      if (NOT_TEXT.has(tag)) within += 1;
      if (within > 0 || tag === 'meta' || tag === 'link' || tag === 'input') return;
      const shown = SHOWN.flatMap((name) => (attributes[name] === undefined ? [] : [name, attributes[name]]));
      const isInvisible = HIDDEN_STYLE.test(attributes['style'] ?? '');
      const language = CODE_LANGUAGE_CLASS.exec(attributes['class'] ?? '')?.[1] ?? '';
      hash.update(`\0<${tag} ${shown.join('\0')} ${isInvisible} ${language}>`);
    },
    text(text) {
      if (within === 0) hash.update(text);
    },
    close(tag) {
      if (NOT_TEXT.has(tag)) within -= 1;
      else if (within === 0) hash.update(`\0</${tag}>`);
    },
    digest: (rest) => hash.update(JSON.stringify(rest)).digest('hex'),
  };
}
