// The part of jq that arguments need, for machines without it: paths, `//`, `|`, literals, `empty`, `length`, `keys`,
// `type`, `tostring`. Reads JSON from stdin and prints strings without quotes, as `jq -r` does.
import { readFileSync } from 'node:fs';

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(\/\/|[.[\]|()?]))/y;

function tokens(filter) {
  const list = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < filter.trimEnd().length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(filter);
    if (match === null) throw new Error(`cannot read the filter at ${JSON.stringify(filter.slice(start))}`);
    const [, text, number, word, sign] = match;
    if (text !== undefined) list.push({ kind: 'value', value: JSON.parse(text) });
    else if (number !== undefined) list.push({ kind: 'value', value: Number(number) });
    else if (word !== undefined) list.push({ kind: 'word', value: word });
    else list.push({ kind: 'sign', value: sign });
  }
  return list;
}

const WORDS = {
  empty: () => [],
  null: () => [null],
  true: () => [true],
  false: () => [false],
  length: (value) => [
    value === null
      ? 0
      : typeof value === 'object'
        ? Object.keys(value).length
        : Array.from(String(value)).length,
  ],
  keys: (value) => [Object.keys(value).sort()],
  type: (value) => [value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value],
  tostring: (value) => [typeof value === 'string' ? value : JSON.stringify(value)],
  tojson: (value) => [JSON.stringify(value)],
};

/** Makes a function from a value to the list of results. */
function compile(filter) {
  const list = tokens(filter);
  let at = 0;
  const sign = (value) => list[at]?.kind === 'sign' && list[at].value === value;
  const expect = (value) => {
    if (!sign(value)) throw new Error(`"${value}" expected`);
    at += 1;
  };

  function pipe() {
    let run = alternative();
    while (sign('|')) {
      at += 1;
      const [before, after] = [run, alternative()];
      run = (value) => before(value).flatMap(after);
    }
    return run;
  }

  function alternative() {
    const first = postfix();
    if (!sign('//')) return first;
    at += 1;
    const second = alternative();
    return (value) => {
      let found = [];
      try {
        found = first(value).filter((each) => each !== null && each !== false);
      } catch {
        // As in jq, an error on the left means the right.
      }
      return found.length > 0 ? found : second(value);
    };
  }

  function postfix() {
    let run = primary();
    for (;;) {
      if (sign('[')) run = indexed(run);
      else if (sign('.')) {
        at += 1;
        run = sign('[') ? indexed(run) : member(run);
      } else if (sign('?')) {
        at += 1;
        const tried = run;
        run = (value) => {
          try {
            return tried(value);
          } catch {
            return [];
          }
        };
      } else return run;
    }
  }

  function primary() {
    const token = list[at];
    if (token === undefined) throw new Error('the filter ends too early');
    if (sign('.')) {
      at += 1;
      const next = list[at];
      return next?.kind === 'word' || (next?.kind === 'value' && typeof next.value === 'string')
        ? member((value) => [value])
        : (value) => [value];
    }
    if (sign('(')) {
      at += 1;
      const inner = pipe();
      expect(')');
      return inner;
    }
    if (sign('[')) {
      at += 1;
      if (sign(']')) {
        at += 1;
        return () => [[]];
      }
      const inner = pipe();
      expect(']');
      return (value) => [inner(value)];
    }
    at += 1;
    if (token.kind === 'value') return () => [token.value];
    const known = Object.hasOwn(WORDS, token.value) ? WORDS[token.value] : undefined;
    if (token.kind !== 'word' || known === undefined)
      throw new Error(`${JSON.stringify(token.value)} is not known`);
    return known;
  }

  function member(run) {
    const { value: name } = list[at++];
    return (value) => run(value).map((each) => pick(each, name));
  }

  function indexed(run) {
    expect('[');
    if (sign(']')) {
      at += 1;
      return (value) => run(value).flatMap((each) => Object.values(each ?? {}));
    }
    const { value: key } = list[at++];
    expect(']');
    return (value) => run(value).map((each) => pick(each, key));
  }

  const run = pipe();
  if (at < list.length) throw new Error(`${JSON.stringify(list[at].value)} is unexpected`);
  return run;
}

function pick(value, key) {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value) !== (typeof key === 'number')) {
    throw new Error(`cannot index ${JSON.stringify(value)} with ${JSON.stringify(key)}`);
  }
  if (Array.isArray(value)) return value.at(key) ?? null;
  return Object.hasOwn(value, key) ? value[key] : null;
}

/** `--merge` makes one object of several, each on a line, the last one winning. */
function evaluate(argument, text) {
  if (argument !== '--merge') return compile(argument)(JSON.parse(text));
  const objects = text.split('\n').filter((each) => each !== '');
  return [Object.assign({}, ...objects.map((each) => JSON.parse(each)))];
}

try {
  const results = evaluate(process.argv[2] ?? '.', readFileSync(0, 'utf8'));
  process.stdout.write(
    results
      .map((each) => `${typeof each === 'string' ? each : JSON.stringify(each, undefined, 2)}\n`)
      .join(''),
  );
} catch (error) {
  process.stderr.write(`json-filter: ${error.message}\n`);
  process.exitCode = 5;
}
