import * as os from 'node:os';
import { expect, test, vi } from 'vitest';
import { currentDirectory, homeDirectory } from '../../src/cli/process-directories.js';

vi.mock('node:os', { spy: true });

function unknownUser(): never {
  throw new Error('uv_os_homedir returned ENOENT');
}

test('homeDirectory() of a user whom the system does not know is the top of the disk', () => {
  vi.mocked(os.homedir).mockImplementationOnce(unknownUser);
  vi.mocked(os.userInfo).mockImplementationOnce(unknownUser);
  expect(homeDirectory()).toBe('/');
});

test('homeDirectory() asks the system where HOME is relative', () => {
  vi.mocked(os.homedir).mockReturnValueOnce('here');
  expect(homeDirectory()).toBe(os.userInfo().homedir);
});

test('currentDirectory() of a folder that is gone is what the shell called it', () => {
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_cwd');
  });
  try {
    expect(currentDirectory({ PWD: '/gone' })).toBe('/gone');
    expect(currentDirectory({ PWD: 'gone' })).toBe('/');
    expect(currentDirectory({})).toBe('/');
  } finally {
    cwd.mockRestore();
  }
});
