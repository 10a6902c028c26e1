import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { makePage } from '../../../../src/exec/project/templates/make-page.js';

const CONFIGS: Readonly<Record<string, object>> = {
  form: { fields: [{ name: 'who' }], submitTool: 'go' },
  'data-table': { columns: [{ key: 'id' }] },
  progress: {},
  'diff-viewer': {},
  'tree-view': {},
  kanban: {},
};

test.each(Object.entries(CONFIGS))('makePage() makes a %s whose script is sound', (template, config) => {
  const hostile = '</script><script>alert(1)</script>';
  const made = makePage(template, { ...config, title: hostile, note: hostile });
  const html = 'html' in made ? made.html : '';
  expect(html.match(/<\/?script>/g)).toEqual(['<script>', '</script>']);
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(html) ?? [];
  expect(() => new Script(script)).not.toThrow();
});

test('makePage() says what is wrong', () => {
  expect(makePage('chart', {})).toEqual({
    field: 'template',
    problem: 'it must be one of form, data-table, progress, diff-viewer, tree-view, kanban',
  });
  expect(makePage('kanban', 'x')).toEqual({ field: 'config', problem: 'it must be an object' });
  expect(makePage('form', { fields: [{}] })).toEqual({
    field: 'config',
    problem: 'fields must be a list of objects with name',
  });
  expect(makePage('form', { fields: [] })).toEqual({
    field: 'config',
    problem: 'submitTool must name a tool',
  });
  expect(makePage('data-table', {})).toEqual({
    field: 'config',
    problem: 'columns must be a list of objects with key',
  });
});
