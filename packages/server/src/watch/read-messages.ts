import { isObject } from '@rootward/core/platform';
import type { ActivityEvent } from '../audit/event-hub.js';
import { PROTOCOL, type ProcessState } from './protocol.js';

/** More at once is no message of ours. */
const MAX_EVENTS = 20_000;
const MAX_ITEMS = 10_000;
/** The last moment that can be written as a date. */
const MAX_MOMENT = 8.64e15;

/** Whether a state has the shape the page relies on. Says nothing about whether it is true. */
export function isProcessState(value: unknown): value is ProcessState {
  return (
    isObject(value) &&
    value['protocol'] === PROTOCOL &&
    hasNumbers(value, ['pid', 'started', 'sessionCount']) &&
    hasTexts(value, ['version', 'transport', 'directory', 'caveat']) &&
    isListOf(value['sessions'], isSession) &&
    isListOf(value['limits'], (item) => hasTexts(item, ['path', 'limit'])) &&
    isListOf(value['children'], isChild) &&
    isListOf(
      value['questions'],
      (item) => hasTexts(item, ['id', 'message']) && hasNumbers(item, ['since']),
    ) &&
    isListOf(
      value['consents'],
      (item) => hasTexts(item, ['id', 'message', 'path']) && hasNumbers(item, ['since']),
    )
  );
}

function isChild(value: Readonly<Record<string, unknown>>): boolean {
  return (
    hasNumbers(value, ['pid']) &&
    hasTexts(value, ['command', 'kind', 'name', 'sandbox']) &&
    isTexts(value['lastLines'])
  );
}

function isSession(value: Readonly<Record<string, unknown>>): boolean {
  return (
    hasTexts(value, ['id', 'era', 'client', 'clientState']) &&
    hasNumbers(value, ['since', 'rootCount']) &&
    isListOf(value['roots'], (item) => hasTexts(item, ['path', 'name', 'access', 'source'])) &&
    isListOf(value['trace'], (item) => hasTexts(item, ['source', 'verdict', 'detail'])) &&
    isListOf(value['rejected'], (item) => hasTexts(item, ['declared', 'source', 'reason'])) &&
    isListOf(value['trees'], (item) => hasTexts(item, ['path', 'branch'])) &&
    isListOf(
      value['callers'],
      (item) =>
        hasTexts(item, ['agent', 'directory', 'known']) &&
        hasNumbers(item, ['last']) &&
        isTexts(item['others']),
    )
  );
}

/** The events among what was sent; others are left out. */
export function readEvents(value: unknown): readonly ActivityEvent[] {
  if (!Array.isArray(value) || value.length > MAX_EVENTS) return [];
  return value.filter(isEvent);
}

function isEvent(value: unknown): value is ActivityEvent {
  return (
    isObject(value) &&
    hasTexts(value, ['session', 'tool', 'path', 'decision']) &&
    hasNumbers(value, ['at']) &&
    Math.abs(Number(value['at'])) <= MAX_MOMENT
  );
}

function isListOf(value: unknown, fits: (item: Readonly<Record<string, unknown>>) => boolean): boolean {
  return (
    Array.isArray(value) && value.length <= MAX_ITEMS && value.every((item) => isObject(item) && fits(item))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_ITEMS && value.every((item) => typeof item === 'string');
}

function hasTexts(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

function hasNumbers(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every((name) => Number.isFinite(value[name]));
}
