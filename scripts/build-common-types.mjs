// Types for those who `require` the packages: the same declarations once more, as CommonJS ones. What runs is the same
// module either way, but to TypeScript under node16 an ES module is something that cannot be required.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

for (const name of readdirSync('packages')) {
  const folder = `packages/${name}`;
  const { exports = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  if (!Object.values(exports).some((entry) => entry.require !== undefined)) continue;
  const common = `${folder}/dist/common`;
  rmSync(common, { recursive: true, force: true });
  for (const file of readdirSync(`${folder}/dist`, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.d.ts')) cpSync(`${folder}/dist/${file}`, `${common}/${file}`);
  }
  writeFileSync(`${common}/package.json`, '{ "type": "commonjs" }\n');
}
