import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses of this machine and of private networks, which no name on the outside may lead to. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(net, bits);
}
for (const [net, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv6');
}

/** Why nothing was fetched. */
export class Refusal extends Error {
  readonly type: string;
  readonly location: string | undefined;

  constructor(type: string, message: string, location?: string) {
    super(message);
    this.type = type;
    this.location = location;
  }
}

/** Throws unless the operator allows downloads from a host, and the tool does. */
export function checkHost(host: string, allow?: readonly string[]): void {
  const hosts = (process.env['MCP_DOWNLOAD_HOSTS'] ?? '').split(/[\s,]+/).filter((each) => each !== '');
  if (!hosts.some((each) => matches(each, host))) {
    const allowed = hosts.length === 0 ? 'no host' : hosts.join(', ');
    throw new Refusal(
      'host_blocked',
      `downloads from ${host} are not allowed: the operator allows ${allowed} (--download-hosts)`,
    );
  }
  if (allow !== undefined && !allow.some((each) => matches(each, host))) {
    throw new Refusal('host_blocked', `this tool does not download from ${host}`);
  }
  if (isIP(bare(host)) !== 0 && isPrivate(bare(host)) && !hosts.includes(host)) {
    throw new Refusal('host_blocked', `${host} is a private address`);
  }
}

/** `*` is every public host; `.example.com` is every host below that name. */
function matches(allowed: string, host: string): boolean {
  const wanted = allowed.toLowerCase();
  return wanted === '*' || wanted === host || (wanted.startsWith('.') && host.endsWith(wanted));
}

/** The address that was checked is the one that is used: a second look-up could name another. */
export const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined)
      return done(error ?? new Error(`${host} has no address`), '', 4);
    const bad = addresses.find(({ address }) => isPrivate(address));
    if (bad !== undefined) {
      return done(new Refusal('host_blocked', `${host} leads to the private address ${bad.address}`), '', 4);
    }
    return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
  });
};

function isPrivate(address: string): boolean {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return PRIVATE.check(mapped);
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
