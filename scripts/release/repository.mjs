// Where the source of the packages is published. npm signs where a package comes from only if its package.json names that.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const GITHUB = /^https:\/\/github\.com\/([\w-]+)\/([\w.-]+?)(?:\.git|\/)?$/;

/** The address and the owner; throws where it is not a repository at GitHub, where alone a release is signed. */
export function readRepository(text) {
  const [, owner, name] = GITHUB.exec(text) ?? [];
  if (owner === undefined)
    throw new Error(`"${text}" is not a repository such as https://github.com/OWNER/NAME`);
  return { url: `https://github.com/${owner}/${name}`, owner };
}

/** The files that get the address, with their new text; throws where one has another address. */
export function withRepository(folder, packages, { url, owner }) {
  const files = new Map();
  const add = (file, before, member) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const line = `  "repository": ${member},\n`;
    if (text.includes(line)) return;
    if (/^ {2}"repository"/m.test(text)) throw new Error(`${file} names another repository: correct it`);
    const added = text.replace(before, (found) => `${found}${line}`);
    if (added === text) throw new Error(`${file} has no line for it to follow: add ${line.trim()} by hand`);
    files.set(file, added);
  };
  for (const { file } of packages) {
    const directory = dirname(file).replaceAll('\\', '/');
    const members = [`"type": "git"`, `"url": "git+${url}.git"`, `"directory": "${directory}"`];
    add(file, /^ {2}"license": .*\n/m, `{\n    ${members.join(',\n    ')}\n  }`);
  }
  const { name } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'));
  const [, space] = /^io\.github\.([\w-]+)\//.exec(name) ?? [];
  if (space !== undefined && space.toLowerCase() !== owner.toLowerCase())
    throw new Error(
      `${owner} cannot publish "${name}" to the registry: change "name" in server.json and "mcpName" in packages/server/package.json`,
    );
  add('server.json', /^ {2}"version": .*\n/m, `{ "url": "${url}", "source": "github" }`);
  return files;
}
