// Makes the pictures of the page in docs/images/ from the folders of the demo, with a real server and Chromium, in both
// themes: node scripts/screenshots.mjs (needs a build, git, and Debian's chromium).
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { DemoClient } from '../packages/server/dist/cli/demo/demo-client.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here('../packages/server/dist/rootward.cjs');
const IMAGES = here('../docs/images/');
/** Shown in the pictures. */
const BASE = '/tmp/demo';
const BROWSER = '/usr/bin/chromium';

const shop = join(BASE, 'shop');
const tree = join(shop, 'trees', 'vat');
const environment = {
  PATH: `${process.env.PATH}:${here('../node_modules/.bin')}`,
  HOME: join(BASE, 'home'),
  XDG_RUNTIME_DIR: join(BASE, 'run'),
};
const FILES = {
  'README.md': '# The shop\n',
  'src/price.ts': 'export function price(net: number): number {\n  return net * 1.19;\n}\n',
  'src/cart.ts':
    "import { price } from './price';\n\nexport const total = (nets: number[]): number[] => nets.map(price);\n",
  'build.sh': 'build() {\n  echo built\n}\n',
};

const IDENTITY = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.invalid'];

function git(...args) {
  execFileSync('git', ['-C', shop, ...IDENTITY, ...args], { stdio: 'ignore' });
}

function makeShop() {
  rmSync(BASE, { recursive: true, force: true });
  for (const folder of [environment.HOME, environment.XDG_RUNTIME_DIR])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(shop, name)), { recursive: true });
    writeFileSync(join(shop, name), text);
  }
  git('init', '-b', 'main');
  git('add', '.');
  git('commit', '-m', 'The shop');
  git('worktree', 'add', '-b', 'vat', tree);
}

/** What the pictures show: two agents at work, and some refusals. */
async function work(client) {
  let id = 0;
  const as = async (agent, cwd, tool, args) => {
    const call = `demo-${(id += 1)}`;
    await client.call('bind_caller', { cwd, id: call, agent });
    await client.call(tool, args, { 'claudecode/toolUseId': call });
  };
  await as('', shop, 'outline', { file: 'build.sh' });
  await as('', shop, 'read_text_file', { path: 'src/price.ts' });
  await as('', shop, 'read_text_file', { path: '/etc/passwd' });
  await as('', shop, 'write_file', {
    path: 'src/price.ts',
    content: FILES['src/price.ts'].replace('1.19', '1.2'),
  });
  await as('reviewer', tree, 'list_directory', { path: 'src' });
  await as('reviewer', tree, 'write_file', { path: '.git', content: '' });
  await as('reviewer', tree, 'read_text_file', { path: 'src/cart.ts' });
}

async function addressOf(ui) {
  for await (const line of createInterface({ input: ui.stdout })) {
    const address = /http:\S+/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('rootward ui printed no address');
}

async function take(browser, address, colorScheme) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 660 } });
  await page.goto(address);
  await page.getByText('reviewer').waitFor();
  const picture = async (name) => {
    await page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}.png`) });
  };
  const view = (name) => page.getByRole('navigation').getByRole('button', { name }).click();
  await picture('now');
  await view('Decisions');
  await page.getByRole('button', { name: '/etc/passwd' }).click();
  await picture('decisions');
  await view('Children');
  await page.getByText('bash-language-server').first().waitFor();
  await picture('children');
  await view('History');
  await page.getByRole('button', { name: 'Difference of price.ts' }).click();
  await page.locator('.diff .in').first().waitFor();
  await picture('history');
  await page.close();
}

makeShop();
mkdirSync(IMAGES, { recursive: true });
const ui = spawn(process.execPath, [PROGRAM, 'ui', '--port', '0'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: BROWSER,
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const address = await addressOf(ui);
  const client = await DemoClient.open({
    command: [process.execPath, PROGRAM, '--log-level', 'silent'],
    environment,
    directory: shop,
    folders: [shop],
  });
  // Decisions are shown from when a page is there.
  const first = await browser.newPage();
  await first.goto(address);
  await first.getByText('demo 1.0.0').waitFor();
  await work(client);
  for (const theme of ['light', 'dark']) await take(browser, address, theme);
  await client[Symbol.asyncDispose]();
} finally {
  await browser.close();
  ui.kill();
  rmSync(BASE, { recursive: true, force: true });
}
