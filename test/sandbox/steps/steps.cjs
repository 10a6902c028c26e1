// Steps of an attempt, in Node: see steps.sh.
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const STEPS = {
  enter: (first) => process.chdir(first),
  rename: (first, second) => fs.renameSync(first, second),
  copy: (first, second) => fs.cpSync(first, second, { recursive: true, verbatimSymlinks: true }),
  read: (first, second) => fs.copyFileSync(first, second),
  append: (first, second) => {
    fs.mkdirSync(path.dirname(first), { recursive: true });
    fs.appendFileSync(first, second.replaceAll('\\n', '\n').replaceAll('\\t', '\t'));
  },
  link: (first, second) => fs.linkSync(first, second),
  connect: (first) => {
    const client = net.connect(first, () => client.end());
    client.on('error', () => undefined);
  },
};

for (const line of fs.readFileSync(0, 'utf8').trim().split('\n')) {
  const [does, first, second] = line.split('|');
  try {
    STEPS[does](first, second);
  } catch {
    // The sandbox holds it back.
  }
}
