import type { BuildState } from './build-state.ts';

/** The page that people see at `/console` while there is no console: why, and what to do. */
export function missingConsolePage(state: BuildState | null, retryAfterS: string): string {
  const { title, body, reloads } = contentsOf(state);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${reloads ? `<meta http-equiv="refresh" content="${retryAfterS}" />` : ''}
    <title>Loci</title>
    <style>
      body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1rem; }
      pre { overflow: auto; white-space: pre-wrap; }
    </style>
  </head>
  <body>
    <h1>${title}</h1>
    ${body}
  </body>
</html>
`;
}

function contentsOf(state: BuildState | null): { title: string; body: string; reloads: boolean } {
  if (state === null) {
    const body = '<p>Build it with <code>npm run console</code> in the folder of Loci, then reload this page.</p>';
    return { title: 'The console is not built', body, reloads: false };
  }
  if (state.status === 'building') {
    const body = '<p>It takes about a minute, once. This page reloads itself; the API already answers.</p>';
    return { title: 'The console is being built', body, reloads: true };
  }
  const body = `<p>Correct what follows, run <code>npm run console</code> in the folder of Loci, then reload this page.</p>
    <pre>${escapeHtml(state.message)}</pre>`;
  return { title: 'The console could not be built', body, reloads: false };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
