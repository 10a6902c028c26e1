import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { NEWER_THAN_BASH_3 } from '../../testing/newer-than-bash-3.js';
import { connectRootward, makeFolders } from '../server/fixtures/rootward.js';
import { runCommand } from './fixtures/run-command.js';
import { makeProject } from './fixtures/tools-project.js';

const LIBRARY = fileURLToPath(new URL('../../packages/server/sdk/', import.meta.url));

describe('the shell library, for bash 3.2,', () => {
  // Without comments: words are free to be newer than the code.
  const files = readdirSync(LIBRARY).filter((name) => name.endsWith('.sh'));
  const code = files
    .map((name) => readFileSync(join(LIBRARY, name), 'utf8').replaceAll(/^\s*#.*$/gm, ''))
    .join('\n');

  test.each(NEWER_THAN_BASH_3)('does without %s', (_name, pattern, example) => {
    expect(pattern.test(example)).toBe(true);
    expect(code.split('\n').filter((line) => pattern.test(line))).toEqual([]);
  });
});

const folders = makeFolders('root', 'bin');
const project = makeProject({
  all: `
# An older bash is not at hand; this one takes up some of its ways when told to.
shopt -u patsub_replacement 2>/dev/null || true
BASH_COMPAT=3.2
say() { printf '%s=%s\\n' "$1" "$2"; }
say string "$(mcp_args_get .string)"
say number "$(mcp_args_get .number)"
say deep "$(mcp_args_get '.deep.list[1]')"
say quoted "$(mcp_args_get '.["with blank"]')"
say default "$(mcp_args_get '.missing // "none"')"
say false "$(mcp_args_get '.no // "none"')"
say missing "$(mcp_args_get .missing)"
say piped "$(mcp_args_get '.deep.list | length')"
say keys "$(mcp_args_get '.deep | keys | tostring')"
say object "$(mcp_args_get '.deep | tostring')"
say empty "[$(mcp_args_get '.missing // empty')]"
say require "$(mcp_args_require .string)"
say int "$(mcp_args_int .number --min 1 --max 99)"
say intdefault "$(mcp_args_int .missing --default 7)"
say bool "$(mcp_args_bool .no)"
say booldefault "$(mcp_args_bool .missing --default true)"
say path "$(mcp_require_path .path)"
say single "$(mcp_require_path .missing --default-to-single-root)"
say allowed "[$(mcp_require_path .missing --allow-empty)]"
say obj "$(mcp_json_obj a 'b"c' d "$(printf 'tab\\tline\\nend')")"
say arr "$(mcp_json_arr one 'tw\\o')"
say escape "$(mcp_json_escape "$(printf '\\001\\037é')")"
say count "$(mcp_roots_count)"
if mcp_roots_contains "$(mcp_require_path .path)"; then say contains yes; fi
`,
  strict: `mcp_args_int .string; echo went on`,
  bounded: `mcp_args_int .large --max 99; echo went on`,
  single: `mcp_require_path .missing --default-to-single-root; echo went on`,
  speaks: `mcp_log_debug me one; mcp_log_info me two; mcp_log_warn me three; mcp_log_error me four
mcp_emit_json '{"spoke":true}'`,
});

const ARGS = JSON.stringify({
  string: 'täxt "q"',
  number: 42,
  large: '99999999999999999999',
  deep: { list: [1, 'two', 3], b: null },
  'with blank': 'x',
  no: false,
  path: 'name.txt',
});
const EXPECTED = `string=täxt "q"
number=42
deep=two
quoted=x
default=none
false=none
missing=null
piped=3
keys=["b","list"]
object=OBJECT
empty=[]
require=täxt "q"
int=42
intdefault=7
bool=false
booldefault=true
path=${join(folders.path('root'), 'name.txt')}
single=${folders.path('root')}
allowed=[]
obj={"a":"b\\"c","d":"tab\\tline\\nend"}
arr=["one","tw\\\\o"]
escape="\\u0001\\u001fé"
count=1
contains=yes
`;

function find(name: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter);
  return places.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** A `PATH` with what the library needs, and one of the programs that read JSON, or none. */
function pathWith(name: string): string {
  const bin = join(folders.path('bin'), name);
  mkdirSync(bin);
  for (const each of ['bash', 'env', 'cat', 'readlink', name]) {
    const file = find(each);
    if (file !== undefined && each !== 'node') symlinkSync(file, join(bin, each));
  }
  return bin;
}

// gojq comes with scripts/install-debian-packages.sh, where that is possible.
for (const name of ['jq', 'gojq', 'node']) {
  describe.skipIf(find(name) === undefined)(`the shell library with ${name}`, () => {
    const env = { PATH: pathWith(name), LANG: 'C.UTF-8' };
    const run = (tool: string): ReturnType<typeof runCommand> =>
      runCommand(
        ['run-tool', tool, '--project', project.path, '--roots', folders.path('root'), '--args', ARGS],
        { env },
      );

    test('reads arguments and makes results', async () => {
      const { out, err, code } = await run('all');
      // The order of members is the program's own: gojq sorts them.
      const object = /^object=(.*)$/m.exec(out)?.[1] ?? '';
      expect(JSON.parse(object)).toEqual({ list: [1, 'two', 3], b: null });
      expect([out.replace(object, 'OBJECT'), err, code]).toEqual([EXPECTED, '', 0]);
    });

    test('ends a tool whose argument has the wrong type', async () => {
      const { out, err, code } = await run('strict');
      expect(out).not.toContain('went on');
      expect(err).toContain('.string must be an integer');
      expect(code).toBe(1);
    });

    test('ends a tool whose number is beyond what the shell can compare', async () => {
      const { out, err, code } = await run('bounded');
      expect(out).toBe('');
      expect(err).toContain('.large is too large a number');
      expect(code).toBe(1);
    });
  });
}

describe('the shell library', () => {
  test('does not choose between several roots', async () => {
    const { client } = await connectRootward(['--project', project.path, folders.top, folders.path('root')]);
    await expect(client.callTool('single')).rejects.toMatchObject({
      code: -32_602,
      message: '.missing is required: there are 2 roots to choose from',
    });
  });

  test('speaks at four levels', async () => {
    const { client } = await connectRootward(['--project', project.path]);
    expect(await client.callTool('speaks')).toMatchObject({ structuredContent: { spoke: true } });
    expect(client.received.flatMap((each) => ('method' in each ? [each.params] : []))).toEqual([
      { level: 'debug', logger: 'me', data: 'one' },
      { level: 'info', logger: 'me', data: 'two' },
      { level: 'warning', logger: 'me', data: 'three' },
      { level: 'error', logger: 'me', data: 'four' },
    ]);
  });
});
