/** One side of a comparison: can be measured again and again. */
export interface Contender {
  readonly name: string;
  /** Measures once. @returns what is compared, for example events a second */
  sample(): Promise<number>;
}

/**
 * Measures the contenders in turns, so that whatever else the machine does falls on all of them alike. Every other
 * round goes backwards: none always follows the same neighbour. A round before the first one warms all of them up and
 * is not counted.
 *
 * @returns the samples of each contender, in the order of the contenders.
 */
export async function alternate(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly (readonly number[])[]> {
  const samples = contenders.map((): number[] => []);
  for (const contender of contenders) await contender.sample();
  for (let round = 0; round < rounds; round += 1) {
    const order = [...contenders.keys()];
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const value = await contenders[index]?.sample();
      if (value !== undefined) samples[index]?.push(value);
    }
  }
  return samples;
}

/** The samples of two contenders. */
export async function duel(
  ours: Contender,
  baseline: Contender,
  rounds: number,
): Promise<{ readonly ours: readonly number[]; readonly baseline: readonly number[] }> {
  const [mine = [], other = []] = await alternate([ours, baseline], rounds);
  return { ours: mine, baseline: other };
}
