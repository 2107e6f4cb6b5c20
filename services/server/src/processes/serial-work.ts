/** Work by key: of one key one after the other, of different keys at the same time. */
export interface SerialWork {
  /** Runs the work when everything begun before under the key has ended; settles as the work does. */
  run<Result>(key: number, work: () => Promise<Result>): Promise<Result>;
}

/** Creates a queue for each key in use. */
export function createSerialWork(): SerialWork {
  const lasts = new Map<number, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = lasts.get(key);
      const mine = before === undefined ? work() : before.then(work, work);
      lasts.set(key, mine);
      try {
        return await mine;
      } finally {
        if (lasts.get(key) === mine) lasts.delete(key);
      }
    },
  };
}
