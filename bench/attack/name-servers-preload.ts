/**
 * Loaded before API and worker by `NODE_OPTIONS`: the machine's name server is that of `ATTACK_NAME_SERVER`. Node.js offers no setting for this,
 * and `/etc/resolv.conf` belongs to everyone.
 */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const server = process.env['ATTACK_NAME_SERVER'];
if (server !== undefined) useNameServer(server);

function useNameServer(address: string): void {
  dns.Resolver = class extends dns.Resolver {
    constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
      super(...options);
      this.setServers([address]);
    }
  };
  syncBuiltinESMExports();
}
