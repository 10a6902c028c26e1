import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { code, table } from './markdown.mjs';

const read = (path) => JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8'));

/** Undefined for what is not a package. */
export function installedVersion(name) {
  const manifest = `../../node_modules/${name}/package.json`;
  return existsSync(fileURLToPath(new URL(manifest, import.meta.url))) ? read(manifest).version : undefined;
}

/** The servers that were tried with `rootward wrap`. Throws where others are installed than those. */
export function triedTable() {
  const rows = read('tried-servers.json').map(({ server, version, same, works }) => {
    const installed = installedVersion(server);
    if (installed !== undefined && installed !== version)
      throw new Error(`${server} ${installed} was not tried; run node scripts/measurements/try-servers.mjs`);
    return [code(server), version, same ? 'yes' : 'no', works ? 'yes' : 'no'];
  });
  return table(['server', 'version', 'same answers as directly', 'works for a modern client'], rows);
}
