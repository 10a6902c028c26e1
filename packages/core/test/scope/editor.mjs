// Changes its own line of a file, several times in a row, through a scope of its own.
import { Scope } from '@rootward/core';

const { root, path, name, edits } = JSON.parse(process.argv[2]);
const scope = new Scope({ roots: [root] });
process.send('ready');
process.once('message', async () => {
  for (let edit = 1; edit <= edits; edit++) {
    await scope.update(path, ({ text }) => text.replace(`${name}: ${edit - 1}\n`, `${name}: ${edit}\n`));
  }
  process.disconnect();
});
