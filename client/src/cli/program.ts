import { readFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { addAsk } from './commands/ask.ts';
import { addCollections } from './commands/collections.ts';
import { addCompress } from './commands/compress.ts';
import { addConnections } from './commands/connections.ts';
import { addContents } from './commands/contents.ts';
import { addConversations } from './commands/conversations.ts';
import { addKeys } from './commands/keys.ts';
import { addMcp } from './commands/mcp.ts';
import { addMemories } from './commands/memories.ts';
import { addSearch } from './commands/search.ts';
import { addSync } from './commands/sync.ts';
import { addUpload } from './commands/upload.ts';
import { addUploads } from './commands/uploads.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { addWorkspaces } from './commands/workspaces.ts';
import { createShell, type ShellOptions } from './shell.ts';

const EXAMPLES = `
Examples:
  loci upload docs notes.md https://example.com/ --collection handbooks
  loci sync docs --collection handbooks
  loci search "how do otters sleep" --collection handbooks
  loci ask "how do otters sleep" --collection handbooks
  loci compress notes.md --strategy extractive --ratio 0.3
  loci memories add "Prefers tea" --user ada
  loci keys create --label reader --permission collections:read --json

The service is found by --base-url and --api-key, otherwise by LOCI_URL and LOCI_API_KEY, otherwise by
.loci/connection.json in this folder or its parents, which npm start writes while it runs.
Commands that delete ask first, loci sync only if it would delete much; --yes answers.
Exit codes: 0 success, 1 at least one failure, 2 wrong usage, 130 interrupted.`;

/** Creates the command line. It throws errors instead of ending the process. */
export function createProgram(surroundings: ShellOptions): Command {
  const program = new Command('loci')
    .description('Knowledge, memory and conversation from the command line')
    .version(versionOfPackage(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', EXAMPLES)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help to a command for its usage)')
    .exitOverride();
  program.option('--base-url <url>', 'address of the service, such as http://127.0.0.1:8700 (LOCI_URL)');
  program.option('--api-key <key>', 'API key (LOCI_API_KEY)');
  program.option('--token <token>', 'bearer token of a user, instead of an API key (LOCI_TOKEN)');
  program.option('--workspace <id>', 'id of another accessible workspace (LOCI_WORKSPACE_ID)');
  program.option('--json', 'print only the result, as JSON, to standard output');
  const shell = createShell(() => program.opts(), surroundings);
  const groups = [addCollections, addContents, addUploads, addMemories, addConversations, addConnections];
  groups.push(addKeys, addWebhooks, addWorkspaces);
  for (const add of [addUpload, addSync, addSearch, addAsk, addCompress, addMcp, ...groups]) add(program, shell);
  return program;
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
