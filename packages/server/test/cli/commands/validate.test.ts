import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../../fixtures/command-line.js';

const makeHome = makeHomes();

describe('rootward validate', () => {
  test('checks one file', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'good.json'), '{"readOnly":true}');
    writeFileSync(join(home, 'bad.json'), '{"readonly":true}');
    expect(await run(home, ['validate', 'good.json'])).toMatchObject({ code: 0, out: 'fine  good.json\n' });
    expect(await run(home, ['validate', 'bad.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean "readOnly"?'),
    });
    expect((await run(home, ['validate', 'missing.json'])).code).toBe(2);
  });

  test('picks the schema by the name of the file', async () => {
    const home = makeHome();
    const file = join(home, '.rootward.json');
    writeFileSync(file, '{"deny":["*.pem"],"readOnly":true}');
    expect(await run(home, ['validate', '.rootward.json'])).toMatchObject({ code: 0 });
    // Fine in the configuration of a server, which a workspace is not.
    writeFileSync(file, '{"roots":["/"]}');
    expect(await run(home, ['validate', '.rootward.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('roots'),
    });
  });

  test('checks the roots a file names, relative to where that file has them', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'rootward.json'), '{"roots":["project","~/project","gone"]}');
    expect(await run(home, ['validate', './project/../rootward.json'])).toMatchObject({
      code: 2,
      err: `rootward: Cannot use ${home}/rootward.json: "gone" cannot be a root: it does not exist\n`,
    });
    mkdirSync(join(home, 'config'));
    const file = join(home, 'config', 'roots.json');
    writeFileSync(file, '{"roots":[{"path":"project","access":"read-only"}]}');
    expect(await run(home, ['validate', 'config/roots.json'])).toMatchObject({ code: 0 });
    writeFileSync(file, '{"roots":["config/none"]}');
    expect(await run(home, ['validate', 'config/roots.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('does not exist'),
    });
    writeFileSync(file, '{"roots":[{"path":"project","acess":"read-only"}]}');
    expect((await run(home, ['validate', file])).err).toContain('"roots.0.acess" is not known');
  });

  test('checks what a tool says of itself', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'tool.meta.json'), '{"name":"ok","timeoutSecs":-1}');
    expect(await run(home, ['validate', 'tool.meta.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('"timeoutSecs"'),
    });
    writeFileSync(join(home, 'tool.meta.json'), '{"name":"ok"}');
    expect(await run(home, ['validate', 'tool.meta.json'])).toMatchObject({ code: 0 });
  });

  test('names the line and the column where a file stops being JSON', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{\n  "roots": [],\n  readOnly: true\n}');
    const { code, err } = await run(home, ['validate', 'bad.json']);
    expect(code).toBe(2);
    expect(err).toContain('at line 3, column 3');
  });

  test('says of which kind a value has to be', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{"http":"yes"}');
    expect((await run(home, ['validate', 'bad.json'])).err).toContain(
      '"http" is "yes", expected boolean or number',
    );
  });

  test.each([
    ['{"readOnly":"yes"}', '"readOnly" is "yes", expected boolean'],
    ['[]', 'it is [], expected object'],
    [
      '{"languageServers":{"typescript":{"comand":"x"}}}',
      '"languageServers.typescript.comand" is not known; did you mean "command"?',
    ],
    [
      '{"languageServers":{"typescript":{"args":"x"}}}',
      '"languageServers.typescript.args" is "x", expected array',
    ],
    [
      '{"languageServers":{"typescript":true}}',
      '"languageServers.typescript" is true, expected false or object',
    ],
    ['{"languageServers":{"typescript":{"folders":"shard"}}}', 'did you mean "shared"?'],
    ['{"roots":["project",1]}', '"roots.1" is 1, expected a path, or an object with a "path"'],
    ['{"roots":[{"uri":"file:///x"}]}', '"roots.0.uri" is not known; known are path, name, access'],
    [
      '{"roots":[{"path":"project","access":"none"}]}',
      '"roots.0.access" is "none", expected read-write, read-only',
    ],
  ])('finds what the published schema forbids in %s', async (text, problem) => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), text);
    const { code, out, err } = await run(home, ['validate', 'bad.json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`Cannot use ${join(home, 'bad.json')}: `);
    expect(err).toContain(problem);
  });

  test('says that a folder is not a file', async () => {
    const home = makeHome();
    const { code, err } = await run(home, ['validate', 'project']);
    expect(code).toBe(2);
    expect(err).toContain(`it is a folder; name the file, as in ${join(home, 'project', 'rootward.json')}`);
  });

  test('prints problems as JSON', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{"readonly":true}');
    for (const args of [
      ['validate', 'bad.json'],
      ['validate', '--config', 'bad.json'],
    ]) {
      const { code, out } = await run(home, [...args, '--json']);
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({
        valid: false,
        problems: [expect.stringContaining('readOnly')],
      });
    }
  });

  test.each([
    ['{"token":"not a token at all"}', 'Cannot use the token of '],
    ['{"toolEnv":"everything"}', 'Cannot use "everything" as toolEnv in '],
    ['{"within":["missing"]}', 'it does not exist (given by "within" in '],
    ['{"project":"missing"}', 'it does not exist (given by "project" in '],
    ['{"audit":"missing/audit.jsonl"}', 'its folder does not exist'],
    ['{"audit":"project"}', 'it is a folder'],
  ])('finds what keeps a server from starting in %s', async (text, problem) => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), text);
    const { code, out } = await run(home, ['validate', '--config', 'c.json', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ valid: false, problems: [expect.stringContaining(problem)] });
    const start = await run(home, ['--config', 'c.json']);
    expect(start.code).toBe(2);
    expect(start.err).toContain(problem);
  });

  test('checks everything a server here would use', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), JSON.stringify({ roots: ['project', 'missing'] }));
    const { code, err } = await run(home, ['validate', '--config', 'c.json', '--log-level', 'silent']);
    expect(code).toBe(2);
    expect(err).toContain('missing');
  });

  test('names a list of roots that cannot be read, as doctor does', async () => {
    const home = makeHome();
    const file = join(home, 'project', 'config', 'roots.json');
    mkdirSync(join(home, 'project', 'config'));
    writeFileSync(file, '{');
    const validated = await run(home, ['validate', '--project', 'project']);
    expect(validated.code).toBe(2);
    expect(validated.err).toContain(`Cannot use ${file}: it is not JSON`);
    const examined = await run(home, ['doctor', '--project', 'project']);
    expect(examined.code).toBe(2);
    expect(examined.err).toContain(`Cannot use ${file}: it is not JSON`);
  });
});
