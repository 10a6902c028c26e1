import { expect, test } from 'vitest';
import { readStore } from '../../../src/settings/values/http-settings.js';

const origin = { name: '--store', base: '/' };

test.each([
  'redis://localhost',
  'redis://user@localhost:6379/3',
  'rediss://localhost/',
  'unix:///run/redis.sock',
  'unix://localhost/run/redis.sock',
])('readStore() takes %s', (text) => {
  expect(readStore(text, origin)).toEqual({ store: text });
});

test.each([
  'redis://',
  'redis:///0',
  'redis://localhost?password=sesame',
  'redis://localhost/0#sesame',
  'redis://localhost/sesame',
  'unix:///run/redis.sock?password=sesame',
  'unix://localhost',
  'http://localhost/sesame',
  'sesame',
])('readStore() refuses %s, and does not repeat it', (text) => {
  expect(() => readStore(text, origin)).toThrow(/^Cannot use --store: expected redis:\/\/HOST(?!.*sesame)/);
});
