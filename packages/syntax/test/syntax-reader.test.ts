import { expect, test } from 'vitest';
import { SyntaxReader, type Declaration } from '@rootward/syntax';

const reader = new SyntaxReader();

function draw(declarations: readonly Declaration[], depth = 0): readonly string[] {
  return declarations.flatMap(({ name, kind, line, container, children }) => [
    `${' '.repeat(depth)}${kind} ${container === undefined ? '' : `${container}.`}${name}:${line}`,
    ...draw(children, depth + 1),
  ]);
}

test.each([
  [
    'a.ts',
    'export class Cart {\n  items = 1;\n  total(): number { const local = 1; return local; }\n}\nexport interface Priced { price: number }\nexport const limit = 3;\nfunction add() { function inner() {} }\nenum Way { In }\ntype Name = string;\n',
    [
      'class Cart:1',
      ' property items:2',
      ' method total:3',
      'interface Priced:5',
      ' property price:5',
      'variable limit:6',
      'function add:7',
      ' function inner:7',
      'enum Way:8',
      'class Name:9',
    ],
  ],
  ['a.tsx', 'export function App() { return <b>hi</b>; }\n', ['function App:1']],
  [
    'a.js',
    'class A { #x = 1; get y() { return 1; } }\nvar z = 1;\n',
    ['class A:1', ' property #x:1', ' method y:1', 'variable z:2'],
  ],
  [
    'a.py',
    'LIMIT = 1\n\n\nclass Cart:\n    size = 1\n\n    @property\n    def total(self):\n        n = 1\n        return n\n\n\nasync def add(): pass\n',
    [
      'variable LIMIT:1',
      'class Cart:4',
      ' property size:5',
      ' method-or-function total:8',
      'function add:13',
    ],
  ],
  [
    'a.go',
    'package a\n\ntype Router struct{ size int }\ntype Handler interface{ Serve() }\nfunc (r *Router) Handle() {}\nfunc New() *Router { return nil }\nconst Max = 1\nvar one = 2\n',
    [
      'struct Router:3',
      ' field size:3',
      'interface Handler:4',
      ' method Serve:4',
      'method Router.Handle:5',
      'function New:6',
      'constant Max:7',
      'variable one:8',
    ],
  ],
  [
    'a.rs',
    'struct Cart { n: u8 }\nimpl Cart { fn total(&self) -> u8 { self.n } }\ntrait Priced { fn price(&self); }\nenum E { A }\n',
    [
      'struct Cart:1',
      ' field n:1',
      'object Cart:2',
      ' function total:2',
      'interface Priced:3',
      ' function price:3',
      'enum E:4',
      ' enum member A:4',
    ],
  ],
  [
    'A.java',
    'class Cart {\n  int n;\n  Cart() {}\n  int total() { return n; }\n}\ninterface P { }\n',
    ['class Cart:1', ' field n:2', ' constructor Cart:3', ' method total:4', 'interface P:6'],
  ],
  [
    'a.c',
    '#define MAX 3\nstruct box { int a; };\nint counter = 1;\nint *open(struct box *b) { return 0; }\nint later(int n);\n',
    [
      'constant MAX:1',
      'struct box:2',
      ' field a:2',
      'variable counter:3',
      'function open:4',
      'function later:5',
    ],
  ],
  [
    'a.cpp',
    'namespace shop {\nclass Cart { public: int total() const; };\nint Cart::total() const { return 1; }\n}\n',
    ['namespace shop:1', ' class Cart:2', '  method total:2', ' method Cart.total:3'],
  ],
  [
    'a.cs',
    'namespace Shop {\nclass Cart { int n; public int Total() { return n; } public int Size { get; } }\n}\n',
    ['namespace Shop:1', ' class Cart:2', '  field n:2', '  method Total:2', '  property Size:2'],
  ],
  [
    'a.rb',
    'module Shop\n  class Cart\n    MAX = 1\n    def total; end\n    def self.make; end\n  end\nend\n',
    ['module Shop:1', ' class Cart:2', '  constant MAX:3', '  method total:4', '  method make:5'],
  ],
  [
    'a.php',
    '<?php\nclass Cart { public $n; const MAX = 1; function total() {} }\nfunction add() {}\n',
    ['class Cart:2', ' property n:2', ' constant MAX:2', ' method total:2', 'function add:3'],
  ],
  [
    'a.sh',
    'NAME=1\ngreet() { echo hi; }\nfunction bye { :; }\n',
    ['variable NAME:1', 'function greet:2', 'function bye:3'],
  ],
] as const)('SyntaxReader.declarations() of %s', async (path, text, expected) => {
  const found = draw(await reader.declarations(path, text));
  expect(found).toEqual(expected.map((line) => line.replace('method-or-function', 'function')));
});

test('SyntaxReader.declarations() of broken code gives what can be read', async () => {
  const found = await reader.declarations('a.py', 'def one(:\n    pass\n\n\ndef two():\n    pass\n');
  expect(found.map(({ name }) => name)).toContain('two');
});

test('SyntaxReader.languageOf() goes by the end of a name', async () => {
  expect(['a.ts', 'b.H', 'c.rs'].map((path) => reader.languageOf(path))).toEqual([
    'TypeScript and JavaScript',
    'C and C++',
    'Rust',
  ]);
  expect(reader.languageOf('a.md')).toBeUndefined();
  expect(await reader.declarations('a.md', '# a')).toEqual([]);
});
