import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRootward, textOf } from '../server/fixtures/rootward.js';
import { connectAsking, ERAS, type Say } from './fixtures/asking-client.js';
import { makeProject } from './fixtures/tools-project.js';

const SHELL = `
case $(mcp_args_get .how) in
  ask)
    a=$(mcp_elicit_confirm sure | mcp_field .content.confirmed)
    b=$(mcp_elicit_choice pick x y | mcp_field .content.choice)
    c=$(mcp_elicit_titled_choice titled 'x:The X' 'y:The Y' | mcp_field .content.choice)
    d=$(mcp_elicit_multi_choice many x y | mcp_field .content.choices)
    e=$(mcp_elicit_titled_multi_choice more 'x:The X' y:Y | mcp_field .content.choices)
    f=$(mcp_elicit_string name who | mcp_field .content.who)
    g=$(mcp_elicit_url open https://example.com/ | mcp_field .action)
    h=$(mcp_elicit no '{"type":"object","properties":{}}' | mcp_field .action)
    mcp_json_arr "$a" "$b" "$c" "$d" "$e" "$f" "$g" "$h" ;;
  data)
    mcp_config_load --env TOOL_CONFIG --file "$MCPBASH_PROJECT_ROOT/config.json" --example "$MCPBASH_PROJECT_ROOT/broken.json" --defaults '{"a":1,"b":1,"c":{"x":1}}'
    tries=0; try() { tries=$((tries + 1)); [ "$tries" -ge 3 ]; }
    mcp_with_retry 5 0.01 -- try
    printf '{"config":%s,"b":%s,"none":"%s","tries":%s,"cut":%s,"error":"%s","meta":"%s","ui":%s}' \\
      "$MCP_CONFIG_JSON" "$(mcp_config_get .b)" "$(mcp_config_get .none --default fallback)" "$tries" \\
      "$(mcp_json_truncate '{"data":[1,2,3,4,5,6,7,8,9],"n":1}' 24 --array-path .data)" \\
      "$(mcp_extract_cli_error '{"error":{"message":"said"}}' err 3)" "$(mcp_meta_get '.["x/own"]')" \\
      "$(mcp_client_supports_ui && echo true || echo false)" ;;
  files) mcp_result_text_with_resource '{"done":true}' --path "$MCPBASH_PROJECT_ROOT/config.json" --path "$MCPBASH_PROJECT_ROOT/bytes" --uri x://y ;;
  program)
    out=$(mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --interval 0.05 --quiet -- bash -c 'printf "10%%\\r50%%\\n100%%\\n" >&2; echo out; exit 3') || code=$?
    mcp_json_arr "$out" "$code" ;;
  download) mcp_download_safe --url "$(mcp_args_get .url)" --out "$TMPDIR/shell.out" --max-bytes 5000 ;;
  page) mcp_ui_form --title '<T>' --field 'kind:select:a,b' --submit-tool go ;;
  ui) mcp_result_with_ui_data ui://s/page shown '{"rows":[1]}' ;;
  table) printf '[{"name":"<b>","n":1}]' | mcp_ui_table --columns name,n --title '<T>' ;;
  rest)
    mcp_log warning me 'as a word'
    mcp_debug for the author
    printf '{"bytes":%s,"meta":%s,"sent":%s}' "$(mcp_byte_length 'né')" "$(mcp_tool_meta_with_ui ui://s/page app)" "$(mcp_meta_raw)" ;;
  must)
    out=$(mcp_download_safe_or_fail --url "$(mcp_args_get .url)" --out "$TMPDIR/must.out")
    mcp_json_arr "$out" ;;
esac`;
const NODE = `#!${process.execPath}
const tool = await import(process.env.MCP_SDK + '/tool.mjs');
const { how, url } = tool.args();
const home = process.env.MCPBASH_PROJECT_ROOT;
if (how === 'ask') {
  const a = (await tool.elicitConfirm('sure')).content.confirmed;
  const b = (await tool.elicitChoice('pick', ['x', 'y'])).content.choice;
  const c = (await tool.elicitTitledChoice('titled', [['x', 'The X'], ['y', 'The Y']])).content.choice;
  const d = (await tool.elicitMultiChoice('many', ['x', 'y'])).content.choices;
  const e = (await tool.elicitTitledMultiChoice('more', [['x', 'The X'], ['y', 'Y']])).content.choices;
  const f = (await tool.elicitString('name', 'who')).content.who;
  const g = (await tool.elicitUrl('open', 'https://example.com/')).action;
  const h = (await tool.elicit('no', { type: 'object', properties: {} })).action;
  tool.result([String(a), b, c, d.join(), e.join(), f, g, h]);
} else if (how === 'data') {
  const config = tool.loadConfig({ env: 'TOOL_CONFIG', file: home + '/config.json', example: home + '/broken.json', defaults: { a: 1, b: 1, c: { x: 1 } } });
  let tries = 0;
  await tool.retry(5, 0.01, () => { if (++tries < 3) throw new Error(); });
  tool.result({ config, b: config.b, none: config.none ?? 'fallback', tries,
    cut: tool.truncate({ data: [1, 2, 3, 4, 5, 6, 7, 8, 9], n: 1 }, 24, '.data'),
    error: tool.cliError('{"error":{"message":"said"}}', 'err', 3), meta: tool.meta()['x/own'], ui: tool.clientSupportsUi() });
} else if (how === 'files') {
  tool.resultWithResources({ done: true }, [{ path: home + '/config.json' }, { path: home + '/bytes', uri: 'x://y' }]);
} else if (how === 'program') {
  const { code, stdout } = await tool.runWithProgress('bash', ['-c', 'printf "10%%\\\\r50%%\\\\n100%%\\\\n" >&2; echo out; exit 3'], { pattern: /([0-9]+)%/, extract: 'match1' });
  tool.result([stdout.trim(), String(code)]);
} else if (how === 'page') {
  process.stdout.write(tool.uiForm('<T>', [{ name: 'kind', type: 'select', options: ['a', 'b'] }], 'go'));
} else if (how === 'table') {
  process.stdout.write(tool.uiTable([{ name: '<b>', n: 1 }], ['name', 'n'], '<T>'));
} else if (how === 'ui') {
  tool.resultWithUi('shown', { rows: [1] });
} else tool.result(await tool.download({ url, out: process.env.TMPDIR + '/node.out', maxBytes: 5000 }));
`;
const PYTHON = `#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.environ["MCP_SDK"])
sys.dont_write_bytecode = True
import rootward_tool as tool
how, home = tool.args()["how"], os.environ["MCPBASH_PROJECT_ROOT"]
if how == "ask":
    a = tool.elicit_confirm("sure")["content"]["confirmed"]
    b = tool.elicit_choice("pick", ["x", "y"])["content"]["choice"]
    c = tool.elicit_titled_choice("titled", [("x", "The X"), ("y", "The Y")])["content"]["choice"]
    d = tool.elicit_multi_choice("many", ["x", "y"])["content"]["choices"]
    e = tool.elicit_titled_multi_choice("more", [("x", "The X"), ("y", "Y")])["content"]["choices"]
    f = tool.elicit_string("name", "who")["content"]["who"]
    g = tool.elicit_url("open", "https://example.com/")["action"]
    h = tool.elicit("no", {"type": "object", "properties": {}})["action"]
    tool.result([str(a).lower(), b, c, ",".join(d), ",".join(e), f, g, h])
elif how == "data":
    config = tool.load_config(env="TOOL_CONFIG", file=home + "/config.json", example=home + "/broken.json", defaults={"a": 1, "b": 1, "c": {"x": 1}})
    tries = [0]
    def attempt():
        tries[0] += 1
        if tries[0] < 3:
            raise ValueError()
    tool.retry(5, 0.01, attempt)
    tool.result({"config": config, "b": config["b"], "none": config.get("none", "fallback"), "tries": tries[0],
        "cut": tool.truncate({"data": [1, 2, 3, 4, 5, 6, 7, 8, 9], "n": 1}, 24, ".data"),
        "error": tool.cli_error('{"error":{"message":"said"}}', "err", 3), "meta": tool.meta().get("x/own"), "ui": tool.client_supports_ui()})
elif how == "files":
    tool.result_with_resources({"done": True}, [{"path": home + "/config.json"}, {"path": home + "/bytes", "uri": "x://y"}])
elif how == "program":
    code, out, _ = tool.run_with_progress(["bash", "-c", 'printf "10%%\\\\r50%%\\\\n100%%\\\\n" >&2; echo out; exit 3'], r"([0-9]+)%", "match1")
    tool.result([out.strip(), str(code)])
elif how == "page":
    sys.stdout.write(tool.ui_form("<T>", [{"name": "kind", "type": "select", "options": ["a", "b"]}], "go"))
elif how == "table":
    sys.stdout.write(tool.ui_table([{"name": "<b>", "n": 1}], ["name", "n"], "<T>"))
elif how == "ui":
    tool.result_with_ui("shown", {"rows": [1]})
else:
    tool.result(tool.download(tool.args()["url"], os.environ["TMPDIR"] + "/python.out", max_bytes=5000))
`;

const FIELD = `mcp_field() { _mcp_filter "$1" | tr -d ' \n"[]'; }
`;
const project = makeProject({
  shell: FIELD + SHELL,
  node: { script: NODE, file: 'tool.mjs' },
  python: { script: PYTHON, file: 'tool.py' },
});
project.write('config.json', '{"b":2,"c":{"y":2}}');
project.write('broken.json', 'not JSON');
writeFileSync(join(project.path, 'bytes'), Buffer.of(0, 255));

const say: Say = ({ message }) => {
  switch (message) {
    case 'sure':
      return { action: 'accept', content: { confirmed: true } };
    case 'pick':
    case 'titled':
      return { action: 'accept', content: { choice: 'y' } };
    case 'many':
    case 'more':
      return { action: 'accept', content: { choices: ['x', 'y'] } };
    case 'name':
      return { action: 'accept', content: { who: 'Ann' } };
    case 'open':
      return { action: 'accept' };
    default:
      return { action: 'decline' };
  }
};

const certificate = fileURLToPath(new URL('./fixtures/certificate.pem', import.meta.url));
const temp = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-helpers-')));
const web = createServer(
  { cert: readFileSync(certificate), key: readFileSync(certificate) },
  ({ url }, response) => {
    if (url === '/moved') response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    else response.end('x'.repeat(url === '/large' ? 6000 : 10));
  },
);
beforeAll(() => new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  web.close();
  rmSync(temp, { recursive: true, force: true });
});
const args = ['--project', project.path, '--download-hosts', '127.0.0.1,localhost'];
const env = {
  TMPDIR: temp,
  NODE_EXTRA_CA_CERTS: certificate,
  ROOTWARD_TOOL_ENV: 'allow:NODE_EXTRA_CA_CERTS,TOOL_CONFIG',
  TOOL_CONFIG: '{"a":5}',
};

const LIBRARIES = ['shell', 'node', 'python'] as const;
let client: Client;
let legacy: Client;
beforeAll(async () => {
  client = await connectAsking('modern', args, { say, env });
  legacy = await connectAsking('legacy', args, { say, env });
});

async function download(name: (typeof LIBRARIES)[number], url: string): Promise<unknown> {
  return (await client.callTool({ name, arguments: { how: 'download', url } })).structuredContent;
}

function address(): string {
  return `https://127.0.0.1:${(web.address() as AddressInfo).port}`;
}

describe.each(LIBRARIES)('the library for %s', (name) => {
  const call = (how: string, at = client): ReturnType<Client['callTool']> =>
    at.callTool({ name, arguments: { how }, _meta: { 'x/own': 'along' } });

  test.each(ERAS)('asks the user while the tool runs, in the %s era', async (era) => {
    const { structuredContent } = await call('ask', era === 'legacy' ? legacy : client);
    expect(structuredContent).toEqual({
      result: ['true', 'y', 'y', 'x,y', 'x,y', 'Ann', 'accept', 'decline'],
    });
  });

  test('loads settings, tries again, shortens lists and knows what the client sent', async () => {
    const { structuredContent } = await call('data');
    expect(structuredContent).toEqual({
      config: { a: 5, b: 2, c: { y: 2 } },
      b: 2,
      none: 'fallback',
      tries: 3,
      cut: { result: { data: [1, 2, 3, 4], n: 1 }, truncated: true, kept: 4, total: 9 },
      error: 'said',
      meta: 'along',
      ui: true,
    });
  });

  test('embeds files in an answer', async () => {
    const { content, structuredContent } = await call('files');
    expect(structuredContent).toEqual({ success: true, result: { done: true } });
    expect(content.slice(1)).toEqual([
      {
        type: 'resource',
        resource: {
          uri: `file://${project.path}/config.json`,
          mimeType: 'application/json',
          text: '{"b":2,"c":{"y":2}}',
        },
      },
      { type: 'resource', resource: { uri: 'x://y', mimeType: 'application/octet-stream', blob: 'AP8=' } },
    ]);
  });

  test('passes the progress of a program on', async () => {
    const { client: scripted } = await connectRootward(args, {}, { env });
    const meta = { progressToken: 'p' };
    const { structuredContent } = await scripted.callTool(name, { how: 'program' }, { meta });
    expect(structuredContent).toEqual({ result: ['out', '3'] });
    const told = scripted.received.filter(
      (each) => 'method' in each && each.method === 'notifications/progress',
    );
    expect(told).toMatchObject([10, 50, 100].map((progress) => ({ params: { progress } })));
  });

  test('downloads from hosts the operator allows', async () => {
    const path = join(temp, `${name}.out`);
    expect(await download(name, `${address()}/file`)).toEqual({ success: true, bytes: 10, path });
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(10));
    expect(await download(name, 'https://example.com/')).toMatchObject({
      error: { type: 'host_blocked', message: expect.stringContaining('--download-hosts') as unknown },
    });
  });

  test('makes pages', async () => {
    const html = textOf(await call('page'));
    expect(html).toContain('<h1>&lt;T&gt;</h1>');
    expect(html).toContain('<select name="kind"><option>a</option><option>b</option></select>');
    const table = textOf(await call('table'));
    expect(table).toContain('<h1>&lt;T&gt;</h1>');
    expect(table).toContain('<tr><td>&lt;b&gt;</td><td>1</td></tr>');
  });

  test('answers with data for the page of the tool', async () => {
    expect(await call('ui')).toMatchObject({
      content: [{ type: 'text', text: 'shown' }],
      structuredContent: { rows: [1] },
    });
  });
});

test('the library for shell logs at any level, counts bytes, and says what names a page', async () => {
  const { client: scripted } = await connectRootward(args, {}, { env });
  await scripted.request('logging/setLevel', { level: 'debug' });
  const { structuredContent } = await scripted.callTool(
    'shell',
    { how: 'rest' },
    { meta: { 'x/own': 'along' } },
  );
  expect(structuredContent).toEqual({
    bytes: 3,
    meta: { ui: { resourceUri: 'ui://s/page', visibility: ['app'] } },
    sent: { 'x/own': 'along' },
  });
  const logged = scripted.received.flatMap((each) =>
    'method' in each && each.method === 'notifications/message' ? [each.params] : [],
  );
  expect(logged).toEqual([
    { level: 'warning', logger: 'me', data: 'as a word' },
    { level: 'debug', logger: 'shell', data: 'for the author' },
  ]);
});

function must(url: string): ReturnType<Client['callTool']> {
  return client.callTool({ name: 'shell', arguments: { how: 'must', url } });
}

test('mcp_download_safe_or_fail prints the path, or ends the tool', async () => {
  expect((await must(`${address()}/file`)).structuredContent).toEqual({ result: [join(temp, 'must.out')] });
  await expect(must('https://example.com/')).rejects.toThrow('--download-hosts');
});

test('a download is refused where it leads elsewhere, is too large or not over HTTPS, or the name to this machine', async () => {
  expect(await download('node', `${address()}/large`)).toMatchObject({ error: { type: 'size_exceeded' } });
  expect(await download('node', `${address()}/moved`)).toMatchObject({
    error: { type: 'redirect', location: 'https://elsewhere.example/' },
  });
  expect(await download('node', address().replace('127.0.0.1', 'localhost'))).toMatchObject({
    error: { type: 'host_blocked' },
  });
  expect(await download('node', 'http://127.0.0.1/')).toMatchObject({ error: { type: 'invalid_url' } });
});

test('a client that cannot ask is not asked', async () => {
  const unable = await connectAsking('legacy', args, { env });
  const { content, isError } = await unable.callTool({ name: 'shell', arguments: { how: 'ask' } });
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toContain('cannot ask its user');
});

test('an answer belongs to the call that asked, and one to nothing is an error', async () => {
  const { client: scripted } = await connectRootward(args, {
    era: 'modern',
    capabilities: { elicitation: {} },
  });
  const asked = await scripted.callTool('shell', { how: 'ask' });
  const [key = ''] = Object.keys(asked['inputRequests'] as object);
  expect(key).toMatch(/^tool-[0-9a-f]{32}$/);
  const answer = (name: string): Promise<Readonly<Record<string, unknown>>> =>
    scripted.request('tools/call', {
      name,
      arguments: { how: 'ask' },
      inputResponses: { [key]: { action: 'decline' } },
    });
  expect(textOf(await answer('node'))).toContain('Call the tool again');
  expect(await answer('shell')).toMatchObject({ resultType: 'input_required' });
  expect(textOf(await answer('shell'))).toContain('Call the tool again');
});
