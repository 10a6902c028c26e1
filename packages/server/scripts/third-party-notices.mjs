// The bundle holds code of others, whose licences ask for their notices to travel with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The notices of every package of which a file, relative to the directory, went into a bundle. Fails where a package has none. */
export function thirdPartyNotices(directory, inputs) {
  const folders = new Set(inputs.map((path) => packageFolder(path)).filter((folder) => folder !== undefined));
  return [...folders]
    .sort((one, other) => one.localeCompare(other))
    .map((folder) => notice(join(directory, folder)))
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${readLicence(folder).trim()}\n`;
}

/** The folder below `node_modules` a file belongs to; undefined for our own. */
function packageFolder(path) {
  const match = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'));
  return match?.[0];
}

function readLicence(folder) {
  const name = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (name === undefined) throw new Error(`Cannot bundle ${folder}: it has no licence file`);
  return readFileSync(join(folder, name), 'utf8');
}
