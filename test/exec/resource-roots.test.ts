import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAsking } from './fixtures/asking-client.js';
import { makeProject } from './fixtures/tools-project.js';

test.runIf(process.platform !== 'win32')(
  'a provider is not run where a root would become two in MCP_RESOURCES_ROOTS',
  async () => {
    const project = makeProject();
    chmodSync(project.write('providers/say.sh', '#!/bin/sh\nprintf "%s" "$MCP_RESOURCES_ROOTS"\n'), 0o755);
    const meta = { name: 'roots', uri: 'say://roots', mimeType: 'text/plain', provider: 'say' };
    project.write('resources/say.meta.json', JSON.stringify(meta));
    const [plain, split] = [join(project.path, 'a'), join(project.path, 'a:/etc')];
    for (const each of [plain, split]) mkdirSync(each, { recursive: true });
    const read = async (root: string): Promise<unknown> => {
      const client = await connectAsking('legacy', ['--project', project.path, root]);
      return (await client.readResource({ uri: 'say://roots' })).contents;
    };
    expect(await read(plain)).toMatchObject([{ text: plain }]);
    await expect(read(split)).rejects.toThrow(`the root ${JSON.stringify(split)} has ":" in its path`);
  },
);
