// Serves the folder `npm start` was called from, or what its arguments name. A script, since shells differ in how they
// spell a variable.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = new URL('../packages/server/dist/rootward.cjs', import.meta.url);
if (!existsSync(program)) {
  const clone = fileURLToPath(new URL('..', import.meta.url));
  process.stderr.write(
    `Cannot start: ${fileURLToPath(program)} is not built; run "npm install" in ${clone} first\n`,
  );
  process.exit(2);
}

const folder = process.env.INIT_CWD ?? process.cwd();
const { flagName, OPTIONS } = await import(
  new URL('../packages/server/dist/settings/values/options.js', import.meta.url)
);
const takesValue = new Set(OPTIONS.filter(({ flag }) => flag.includes(' ')).map(flagName));
// The values of other options say nothing about what to serve, although a file may be there under such a name.
const namesFolders = new Set(['--root', '--within', '--project', '--config']);
const given = process.argv.slice(2);
const namesPlace = given.some((argument, index) => {
  const [, option, value] = /^(--[a-z-]+)=(.*)$/s.exec(argument) ?? ['', given[index - 1], argument];
  return (!takesValue.has(option) || namesFolders.has(option)) && existsSync(resolve(folder, value));
});
// npm makes both those of this package, which nobody asked for as a root.
process.chdir(folder);
process.env.PWD = folder;
// With its value, so that a folder that follows is not taken for the port.
process.argv.splice(2, 0, '--http=true', ...(namesPlace ? [] : ['--root', folder]));
await import(program);
