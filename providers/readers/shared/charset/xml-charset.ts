const DECLARED_CHARSET = /^\s*<\?xml[^>]{0,200}encoding\s{0,5}=\s{0,5}["']([\w.:-]+)/;

/** The encoding that the declaration of an XML document names; undefined without one. */
export function xmlCharset(bytes: Uint8Array): string | undefined {
  return DECLARED_CHARSET.exec(Buffer.from(bytes.subarray(0, 400)).toString('latin1'))?.[1];
}
