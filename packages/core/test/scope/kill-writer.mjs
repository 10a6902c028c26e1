// Overwrites one file again and again with contents that show whether they are whole, until it is killed.
import { Scope } from '@rootward/core';

const [root, size] = process.argv.slice(2);
const scope = new Scope({ roots: [{ ...JSON.parse(root) }] });
process.send('ready');
for (let round = 0; ; round++) {
  await scope.write('file.txt', String(round % 10).repeat(Number(size)));
}
