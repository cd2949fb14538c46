/** Endings of images, media, styles, fonts, feeds, programs, archives and signatures. */
const FILES =
  /\.(?:jpe?g|png|gif|webp|avif|svgz?|ico|bmp|tiff?|heic|css|mjs|rss|atom|woff2?|ttf|otf|eot|mp[34g]|m4[av]|mpe?g|og[gva]|opus|wav|flac|avi|mov|mkv|webm|wmv|swf|zip|gz|tgz|bz2|xz|7z|rar|tar|zst|jar|exe|msi|dmg|pkg|deb|rpm|apk|iso|img|torrent|ics|vcf|sig|asc|sha\d+|md5)$/i;
/** Endings of programs and data that titles of pages have, too: `Node.js`, `package.json`, `site.map`. */
const FILES_OR_PAGES = /\.(?:js|map|json|xml|bin)$/i;
/** Wikis have pages about files: `/wiki/File:Harbour.jpg`. */
const IN_NAMESPACE = /:[^/]*$/;

/**
 * Says what the ending of an address tells of its content: a `file` that is neither a page nor a document, an `unclear` one, which is a
 * page only if its server says so, or null for anything else.
 */
export function endingOfUrl(url: string): 'file' | 'unclear' | null {
  const { pathname } = new URL(url);
  if (FILES_OR_PAGES.test(pathname)) return 'unclear';
  if (!FILES.test(pathname)) return null;
  return IN_NAMESPACE.test(pathname) ? 'unclear' : 'file';
}
