import { arrow, box, card, centred, picture, text } from './svg.mjs';

export function drawWrap() {
  return picture({ width: 804, height: 322, title: 'rootward wrap stands between a client and any server' }, [
    text(24, 36, 'rootward wrap: one word in front of any server', 'title'),
    card(
      24,
      96,
      168,
      110,
      [
        ['your client', 'title'],
        ['folders: shop, blog', 'small quiet'],
        ['either revision', 'small quiet'],
      ],
      'main',
    ),
    box(272, 66, 240, 170, ''),
    centred(392, 94, 'rootward wrap', 'title'),
    centred(392, 122, 'asks the client for its folders', 'small'),
    centred(392, 144, 'fills in {root} and {roots}', 'small'),
    centred(392, 166, 'answers roots/list', 'small'),
    centred(392, 188, 'tells of changes, or restarts', 'small'),
    centred(392, 210, 'translates between revisions', 'small'),
    card(
      592,
      96,
      168,
      110,
      [
        ['any MCP server', 'title'],
        ['in any language', 'small quiet'],
        ['not changed', 'small quiet'],
      ],
      'good',
    ),
    box(572, 80, 208, 142, 'plain', { dashed: true }),
    centred(676, 244, 'with --sandbox: held to', 'small warn'),
    centred(676, 262, 'the folders by the system', 'small warn'),
    arrow(192, 134, 272, 134, 'main'),
    arrow(272, 168, 192, 168, 'good'),
    arrow(512, 134, 572, 134, 'main'),
    arrow(572, 168, 512, 168, 'good'),
    text(24, 300, 'rootward wrap -- npx -y @modelcontextprotocol/server-filesystem {roots}', 'mono quiet'),
  ]);
}
