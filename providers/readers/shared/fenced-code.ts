/** A Markdown code block whose fence is longer than any run of backticks in the code. */
export function fencedCode(code: string, language = ''): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.trimEnd()}\n${fence}\n`;
}
