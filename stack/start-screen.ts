/** Connection data of a running Loci: shown on the start screen and stored in `connection.json`. */
export type Connection = {
  base_url: string;
  api_key: string;
  admin_token: string;
  workspace_id: string;
  collection_id: string;
  temporal_ui: string | null;
  embedder: string;
  pid: number;
};

export type StartScreen = {
  connection: Connection;
  /** Where the console is, with a code that signs in if there is one. */
  consoleUrl: string;
  /** Reason for not using the default embedder; null if it is used. */
  embedderNote: string | null;
  /** The console is not there yet. */
  isBuildingConsole: boolean;
  stateDir: string;
  /** An existing file for the upload example. */
  exampleFile: string;
};

/** Returns the text that is printed when everything is ready, with commands that can be copied. */
export function startScreen(screen: StartScreen): string {
  const { connection, consoleUrl, embedderNote, isBuildingConsole, stateDir, exampleFile } = screen;
  const { base_url: baseUrl, api_key: key, collection_id: collectionId } = connection;
  const search = JSON.stringify({
    collection_id: collectionId,
    query: 'how do I start it?',
    search_type: 'hybrid',
    max_results: 3,
  });
  return [
    '',
    'Loci is ready.',
    '',
    ...consoleLines(consoleUrl, isBuildingConsole),
    `  API          ${baseUrl}/api/v1`,
    `  Docs         ${baseUrl}/docs`,
    `  MCP          ${baseUrl}/mcp`,
    `  Temporal UI  ${connection.temporal_ui ?? '(use the UI of your Temporal server)'}`,
    `  API key      ${key}`,
    `  Collection   ${collectionId} (getting-started)`,
    `  Embedder     ${connection.embedder}`,
    ...(embedderNote === null ? [] : [`               because ${embedderNote}`]),
    '',
    'Upload a file, then search it:',
    '',
    `  curl -sS -H 'X-API-Key: ${key}' -H 'Prefer: wait=30' \\`,
    `    -F collection_id=${collectionId} -F 'file=@${exampleFile}' ${baseUrl}/api/v1/upload`,
    '',
    `  curl -sS -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `    -d '${search}' ${baseUrl}/api/v1/collections/search`,
    '',
    `Data and logs are in ${stateDir}. Ctrl-C stops everything; the next start uses the same data.`,
    '',
  ].join('\n');
}

function consoleLines(url: string, isBuilding: boolean): string[] {
  const note = '               (signs in once, within an hour; the next start prints another link)';
  const building = '               (being built in the background, ready in about a minute)';
  return [`  Console      ${url}`, ...(url.includes('#') ? [note] : []), ...(isBuilding ? [building] : [])];
}
