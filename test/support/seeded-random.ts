/** Random numbers that are the same for the same seed. */
export interface SeededRandom {
  /** From 0 to below 1. */
  next(): number;
  /** Picks one of the choices. */
  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice;
}

/** Mulberry32 with 32 bits of state, sufficient to shuffle a test's actions. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
  };
}
