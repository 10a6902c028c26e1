import { expect, test } from 'vitest';
import { endingOf } from '../../src/servers/script-name.js';

test.each([
  ['#!/bin/bash', '.sh'],
  ['#!/usr/bin/env bash', '.sh'],
  ['#!/usr/bin/env -S python3 -u', '.py'],
  ['#! /usr/bin/python3.11 -E', '.py'],
  ['#!/usr/bin/env node', '.js'],
  ['#!/usr/bin/perl', ''],
  ['# no script', ''],
  ['', ''],
])('endingOf() reads the interpreter of %j', (line, ending) => {
  expect(endingOf(line)).toBe(ending);
});
