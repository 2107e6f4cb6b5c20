import { createLru, monotonicMilliseconds } from "@hostledger/runtime/async";

import type { SubjectKey, SubjectKeys } from "./subject-keys.port.ts";

export interface KeyCacheOptions {
  /** Maximum keys in memory. Default 10,000. */
  readonly limit?: number;
  /** Milliseconds until a key is read again, because another process may have destroyed it. Default 1,000. */
  readonly freshMs?: number;
  readonly now?: () => number;
}

/** Caches keys in memory for a short time. Destroying a key here removes it from the cache at once. */
export function cacheSubjectKeys(keys: SubjectKeys, options: KeyCacheOptions = {}): SubjectKeys {
  const { limit = 10_000, freshMs = 1_000, now = monotonicMilliseconds } = options;
  const cached = createLru<string, { readonly key: SubjectKey; readonly until: number }>(limit);
  /** Number of destructions; keys read before a destruction must not enter the cache afterwards. */
  let destructions = 0;

  const remembered = (subject: string): SubjectKey | undefined => {
    const entry = cached.get(subject);
    return entry !== undefined && entry.until > now() ? entry.key : undefined;
  };
  const remember = (subject: string, key: SubjectKey, asked: number, before: number): void => {
    if (before !== destructions) return;
    cached.set(subject, { key, until: asked + freshMs });
  };
  return {
    async find(subjects) {
      const found = new Map<string, SubjectKey>();
      const asked = subjects.filter((subject) => {
        const key = remembered(subject);
        if (key !== undefined) found.set(subject, key);
        return key === undefined;
      });
      if (asked.length === 0) return found;
      const [at, before] = [now(), destructions];
      for (const [subject, key] of await keys.find(asked)) {
        remember(subject, key, at, before);
        found.set(subject, key);
      }
      return found;
    },
    async obtain(subject) {
      const known = remembered(subject);
      if (known !== undefined) return known;
      const [at, before] = [now(), destructions];
      const key = await keys.obtain(subject);
      remember(subject, key, at, before);
      return key;
    },
    async destroy(subject) {
      try {
        return await keys.destroy(subject);
      } finally {
        destructions += 1;
        cached.delete(subject);
      }
    },
    retained: (filter) => keys.retained(filter),
    erasuresUntil: () => keys.erasuresUntil(),
    markErasuresUntil: (mark) => keys.markErasuresUntil(mark),
    firstEvent: () => keys.firstEvent(),
    markFirstEvent: (id) => keys.markFirstEvent(id),
    async close() {
      cached.clear();
      await keys.close();
    },
  };
}
