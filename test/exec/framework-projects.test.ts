import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { findBackends } from '@rootward/sandbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectRootward } from '../server/fixtures/rootward.js';
import { connectAsking, ERAS, type Say } from './fixtures/asking-client.js';
import { discoverProject } from '../../packages/server/dist/exec/project/discover-project.js';
import { runCommand } from './fixtures/run-command.js';
import {
  EXAMPLES,
  exampleProject,
  examplesProject,
  type ExampleName,
} from './fixtures/framework-projects.js';

const examples = examplesProject();
const registered = exampleProject('09-registry-overrides');
const hooked = exampleProject('advanced/register-sh-hooks');

/** Whether the user wants what a tool asks for. */
let willing = true;
const say: Say = ({ message }) => {
  if (!willing) return { action: 'decline' };
  return { action: 'accept', content: message === 'Pick a mode' ? { choice: 'safe' } : { confirmed: true } };
};

const ICON = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>').toString('base64')}`;

const hasSandbox = (await findBackends()).some(({ backend }) => backend !== undefined);
const KINDS = [
  ...ERAS.map((era) => ({ era, flags: [] as readonly string[], runs: process.platform !== 'win32' })),
  // The roots of a project lie in it, and some of its tools write there.
  { era: 'modern' as const, flags: ['--sandbox', 'strict', '--writable-project'], runs: hasSandbox },
];

for (const { era, flags, runs } of KINDS) {
  describe.runIf(runs)(`projects made for mcp-bash in the ${era} era ${flags.join(' ')}`, () => {
    let client: Client;
    const call = async (name: string, args: Record<string, unknown> = {}): Promise<unknown> =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    const studio = (input: string, output: string): ReturnType<Client['callTool']> =>
      client.callTool({ name: 'transcode', arguments: { input, output } });
    const read = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents;
    beforeAll(async () => {
      client = await connectAsking(era, ['--project', examples.path, ...flags], { say });
    });

    test('00 to 03: answers, arguments, logs and progress', async () => {
      expect(await call('hello')).toEqual({ success: true, result: { message: 'Hello' } });
      expect(await call('echo-arg', { value: 'x' })).toMatchObject({ result: { message: 'You sent: x' } });
      await expect(client.callTool({ name: 'echo-arg' })).rejects.toThrow('.value is required');
      expect(await call('logger')).toMatchObject({ result: { message: 'logged' } });
      expect(await call('slow')).toMatchObject({ result: { message: 'done' } });
    });

    test('04: roots of config/roots.json', async () => {
      const path = join(examples.path, 'data/sample.txt');
      expect(await call('read', { path })).toMatchObject({ result: { content: 'sample' } });
      expect(await call('read', { path: '/etc/hostname' })).toMatchObject({
        error: { type: 'permission_denied', hint: join(examples.path, 'data') },
      });
    });

    test('05 and 11: resources, providers and templates', async () => {
      const { resources } = await client.listResources();
      expect(resources).toContainEqual({
        name: 'greeting',
        uri: 'file://./resources/greeting.txt',
        mimeType: 'text/plain',
      });
      expect(await read('file://./resources/greeting.txt')).toEqual([
        { uri: 'file://./resources/greeting.txt', mimeType: 'text/plain', text: 'Hello from a file\n' },
      ]);
      expect(await read('shout://hey')).toMatchObject([{ text: 'hey!' }]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toEqual(
        expect.arrayContaining([
          { name: 'project-files', uriTemplate: 'file:///{path}', description: 'By hand' },
          { name: 'tree', uriTemplate: 'shout://{word}', mimeType: 'text/plain' },
        ]),
      );
      expect(await read('shout://you')).toMatchObject([{ text: 'you!' }]);
      await expect(read('shout://none')).rejects.toThrow(/not found/i);
      for (const [code, reason] of [
        [2, 'outside the roots'],
        [3, /not found/i],
        [4, 'cannot read such an address'],
        [5, 'could not be fetched'],
        [6, 'too large'],
      ] as const) {
        await expect(read(`shout://code-${code}`)).rejects.toThrow(reason);
      }
      expect(await read(`file://${examples.path}/resources/greeting.txt`)).toMatchObject([
        { mimeType: 'text/plain' },
      ]);
      expect(await read(`file://${examples.path}/data/sample.txt`)).toMatchObject([{ text: 'sample\n' }]);
      await expect(read('file:///etc/hostname')).rejects.toThrow('roots');
      await expect(read(`file://${examples.path}/lib/detect.sh`)).rejects.toThrow('roots');
    });

    test('06: files in answers', async () => {
      const { content } = await client.callTool({ name: 'embed-resource' });
      expect(content[1]).toMatchObject({ resource: { mimeType: 'text/plain', text: 'Report\n' } });
    });

    test('07 and 10: prompts and completions', async () => {
      const { prompts } = await client.listPrompts();
      expect(prompts).toContainEqual({
        name: 'prompt.greeting',
        description: 'Greets',
        icons: [{ src: ICON, mimeType: 'image/svg+xml' }],
        arguments: [{ name: 'name', description: 'Whom', required: true }],
      });
      const { messages } = await client.getPrompt({ name: 'prompt.greeting', arguments: { name: 'Ann' } });
      expect(messages).toEqual([
        { role: 'user', content: { type: 'text', text: 'Hello, Ann! Again: Ann. Not ${other}.' } },
      ]);
      await expect(client.getPrompt({ name: 'prompt.greeting', arguments: {} })).rejects.toThrow('name');
      const ref = { type: 'ref/prompt' as const, name: 'demo.completion' };
      const { completion } = await client.complete({ ref, argument: { name: 'query', value: 'A' } });
      expect(completion).toEqual({ values: ['A one', 'A two'], hasMore: true });
    });

    test('08: questions', async () => {
      willing = true;
      expect(await call('elicitation')).toMatchObject({ result: { message: 'complete', mode: 'safe' } });
      willing = false;
      expect(await call('elicitation')).toEqual({ success: true, result: { message: 'stopped' } });
    });

    test('ffmpeg-studio: files in roots, a question before one is replaced, progress through a pipe', async () => {
      willing = true;
      expect((await studio('in.txt', 'taken.txt')).structuredContent).toMatchObject({
        result: { message: 'ABC' },
      });
      willing = false;
      expect(await studio('in.txt', 'taken.txt')).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Overwrite declined') as unknown }],
      });
      expect(await studio('none.txt', 'new.txt')).toMatchObject({ isError: true });
      await expect(studio('../config/roots.json', 'new.txt')).rejects.toThrow('outside allowed roots');
    });

    test('12: settings, and downloads that the operator does not allow', async () => {
      expect(await call('fetch-api-data', { url: 'https://example.com/' })).toMatchObject({
        error: { type: 'host_blocked', message: 'timeout 7' },
      });
    });

    test('13 and 14: pages of tools', async () => {
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === 'weather')).toMatchObject({
        _meta: { ui: { resourceUri: 'ui://examples/weather', visibility: ['model', 'app'] } },
      });
      const ui = { csp: { connectDomains: ['https://example.com'] }, prefersBorder: true };
      expect(await read('ui://examples/weather')).toEqual([
        {
          uri: 'ui://examples/weather',
          mimeType: 'text/html;profile=mcp-app',
          text: '<!doctype html><title>Weather</title>',
          _meta: { ui },
        },
      ]);
      expect(tools.find(({ name }) => name === 'inventory')).toMatchObject({
        _meta: { ui: { resourceUri: 'ui://examples/inventory' } },
      });
      expect(await read('ui://examples/inventory')).toMatchObject([
        {
          text: expect.stringContaining(String.raw`"Inventory \u003c/script>"`) as unknown,
          _meta: { ui: { prefersBorder: false } },
        },
      ]);
      expect(tools.find(({ name }) => name === 'hello')?.icons).toEqual([
        { src: ICON, mimeType: 'image/svg+xml', sizes: ['any'] },
        { src: 'https://example.com/icon.png' },
      ]);
      expect(await read('ui://examples/dashboard')).toMatchObject([
        { text: expect.stringContaining('Dashboard') as unknown },
      ]);
      expect(await call('weather')).toEqual({ condition: 'Sunny', shown: 'yes' });
    });

    test('15 and 99: libraries of the project, hints, and events of a program', async () => {
      expect(await call('system-info')).toMatchObject({ result: { os: expect.any(String) as unknown } });
      const { content } = await client.callTool({ name: 'slow-with-hint' });
      expect(JSON.stringify(content)).toContain('Use dryRun');
      expect(await call('slow-with-events')).toMatchObject({ result: { result: 'out' } });
    });

    test('09 and the hook: what is registered by hand', async () => {
      client = await connectAsking(era, ['--project', registered.path, ...flags]);
      expect(await call('manual.progress')).toMatchObject({ result: { message: 'finished' } });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).not.toContain('ignored');
      expect(await read('echo://Hello-there')).toMatchObject([{ text: 'Hello-there' }]);
      const { messages } = await client.getPrompt({ name: 'manual.prompt', arguments: { topic: 'T' } });
      expect(messages).toMatchObject([{ role: 'user', content: { text: 'Topic: T.' } }]);

      client = await connectAsking(era, ['--project', hooked.path, '--register-hook', ...flags]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ name }) => name)).toContain('logs-by-date');
      const ref = { type: 'ref/prompt' as const, name: 'demo.completion' };
      const { completion } = await client.complete({ ref, argument: { name: 'query', value: 're' } });
      expect(completion.values).toEqual(['retry', 'review']);
      client = await connectAsking(era, ['--project', hooked.path]);
      expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).not.toContain(
        'logs-by-date',
      );
    });
  });
}

const GREETING = 'file://./resources/greeting.txt';

test.runIf(process.platform !== 'win32')(
  'who listens to a resource of a project in the modern era hears of its changes',
  async () => {
    const client = await connectAsking('modern', ['--project', examples.path]);
    const heard = new Promise<string>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
    });
    const listening = await client.listen({ resourceSubscriptions: [GREETING] });
    expect(listening.honoredFilter).toEqual({ resourceSubscriptions: [GREETING] });
    writeFileSync(join(examples.path, 'resources/report.txt'), 'Nobody listens to this one');
    writeFileSync(join(examples.path, 'resources/greeting.txt'), 'Changed in the modern era\n');
    expect(await heard).toBe(GREETING);
    await listening.close();
  },
);

test.each(Object.keys(EXAMPLES) as ExampleName[])('%s is a project of its own', async (name) => {
  const { tools, resources, templates, prompts, completions, problems } = await discoverProject(
    exampleProject(name).path,
  );
  expect(problems).toEqual([]);
  const served = [tools, resources, templates, prompts, completions].flat().length;
  // The hook runs only when the operator says so, and nothing else is there.
  expect(served > 0).toBe(name !== 'advanced/register-sh-hooks');
});

test.runIf(process.platform !== 'win32')(
  'who subscribes to a resource of a project hears of its changes',
  async () => {
    const { client } = await connectRootward(['--project', examples.path]);
    const uri = GREETING;
    await client.request('resources/subscribe', { uri });
    let text = 'Changed\n';
    const writer = setInterval(() => {
      text += 'again\n';
      writeFileSync(join(examples.path, 'resources/greeting.txt'), text);
    }, 100);
    await client.until(() =>
      client.received.some((each) => 'method' in each && each.method === 'notifications/resources/updated'),
    );
    clearInterval(writer);
    await expect(client.request('resources/subscribe', { uri: 'file:///none' })).rejects.toThrow('none');
  },
);

test.runIf(process.platform !== 'win32')(
  'a hook that another user can change does not run, also where the operator says so',
  async () => {
    const shared = exampleProject('advanced/register-sh-hooks');
    chmodSync(join(shared.path, 'server.d', 'register.sh'), 0o777);
    const { server, client } = await connectRootward(['--project', shared.path, '--register-hook']);
    expect(await client.request('resources/templates/list')).not.toHaveProperty(
      'resourceTemplates',
      expect.arrayContaining([expect.objectContaining({ name: 'logs-by-date' })]),
    );
    await eventually(() =>
      expect(server.stderr()).toContain('it is not run: others own it or can change it'),
    );
  },
);

test.runIf(process.platform !== 'win32')(
  'rootward validate names what is not served, and words that are no helpers',
  async () => {
    const { code, out } = await runCommand(['validate', '--project', examples.path, '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { valid: true, unserved: [], unknownHelpers: [] }]);
    hooked.write('tools/lost.sh', 'echo\n');
    hooked.write('tools/a/b/tool.sh', 'echo\n');
    hooked.write(
      'tools/uses/tool.sh',
      '# mcp: {}\n# mcp_comment\nmcp_own() { :; }\nmcp_own; mcp_teleport x\n',
    );
    hooked.write('prompts/lost.txt', 'x');
    hooked.write('server.d/policy.sh', 'x');
    const found = JSON.parse((await runCommand(['validate', '--project', hooked.path, '--json'])).out) as {
      unserved: { file: string; why: string }[];
      unknownHelpers: unknown;
    };
    expect(found.unserved.map(({ file }) => file.slice(hooked.path.length + 1)).sort()).toEqual([
      'completions/suggest.sh',
      'prompts/lost.txt',
      'server.d/policy.sh',
      'server.d/register.sh',
      'tools/a/b/tool.sh',
      'tools/lost.sh',
    ]);
    expect(found.unserved.find(({ file }) => file.endsWith('register.sh'))?.why).toContain('--register-hook');
    expect(found.unknownHelpers).toEqual([
      { file: `${hooked.path}/tools/uses/tool.sh`, helper: 'mcp_teleport' },
    ]);
    const { out: shown } = await runCommand(['validate', '--project', hooked.path]);
    expect(shown).toContain('mcp_teleport is no helper here (a guess');
  },
);
