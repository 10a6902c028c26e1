import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { ToolCatalogue } from '../../../src/exec/project/tool-catalogue.js';
import { eventually } from '../../../../../testing/eventually.js';

const top = mkdtempSync(join(tmpdir(), 'rootward-catalogue-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let count = 0;

function write(project: string, tool: string, name: string): void {
  const folder = join(project, 'tools', tool);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'tool.meta.json'), JSON.stringify({ name }));
}

async function open(): Promise<{ readonly project: string; readonly catalogue: ToolCatalogue }> {
  const project = join(top, String(count++));
  write(project, 'first', 'first');
  const catalogue = await ToolCatalogue.open({ project, log: { debug() {}, info() {}, warn() {} } });
  catalogue.onDidChange(() => undefined);
  await settle();
  return { project, catalogue };
}

function names(catalogue: ToolCatalogue): readonly string[] {
  return catalogue.current().tools.map(({ metadata }) => metadata.name);
}

/** Lets every look that is due go by, so that only a new event can lead to another. Longer does no harm. */
function settle(): Promise<void> {
  return pause(250);
}

test('ToolCatalogue sees a tool whose files come long after its folder', async () => {
  const { project, catalogue } = await open();
  mkdirSync(join(project, 'tools', 'late'));
  await settle();
  write(project, 'late', 'late');
  await eventually(() => expect(names(catalogue)).toContain('late'));
  catalogue.dispose();
});

test('ToolCatalogue sees every change of a tool that was added while it watched', async () => {
  const { project, catalogue } = await open();
  write(project, 'added', 'added');
  await eventually(() => expect(names(catalogue)).toContain('added'));
  await settle();
  write(project, 'added', 'renamed');
  await eventually(() => expect(names(catalogue)).toContain('renamed'));
  catalogue.dispose();
});

test('ToolCatalogue follows a folder that was replaced by another of its name', async () => {
  const { project, catalogue } = await open();
  write(join(project, 'elsewhere'), 'other', 'other');
  renameSync(join(project, 'tools', 'first'), join(project, 'old'));
  renameSync(join(project, 'elsewhere', 'tools', 'other'), join(project, 'tools', 'first'));
  await eventually(() => expect(names(catalogue)).toContain('other'));
  await settle();
  write(project, 'first', 'again');
  await eventually(() => expect(names(catalogue)).toContain('again'));
  catalogue.dispose();
});
