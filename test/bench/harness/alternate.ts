/** One side of a comparison. */
export interface Contender {
  readonly name: string;
  /** Measures once. @returns the compared value, such as events per second */
  sample(): Promise<number>;
}

/**
 * Measures the contenders in turns, so that other load on the machine affects all alike. Every other round runs in
 * reverse order, so that none always follows the same neighbour. A first round warms up and is not counted.
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
