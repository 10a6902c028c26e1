// Adds `os` and `cpu` to the manifest of a platform package while it is packed, and takes them out again. npm refuses
// to install a workspace that has the fields of another platform, so they cannot stay there.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const [action, os, cpu] = process.argv.slice(2);
const { os: _os, cpu: _cpu, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
if (action === 'add') Object.assign(manifest, { os: [os], cpu: [cpu] });
// npm reads every manifest of the workspace, also while it packs another package: it must never find half a file.
const next = `package.json.${process.pid}`;
writeFileSync(next, `${JSON.stringify(manifest, undefined, 2)}\n`);
renameSync(next, 'package.json');
