import { cpus, release, totalmem, type } from 'node:os';

/** Where figures were taken, in one line. */
export function describeMachine(): string {
  const cores = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const processor = cores[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.version}, ${type()} ${release()}, ${cores.length} × ${processor}, ${memory} GiB`;
}
