export { RedisStore } from './store/redis-store.js';
export type { RedisStoreOptions } from './store/redis-store.js';
