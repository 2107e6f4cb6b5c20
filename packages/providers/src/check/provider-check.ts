/** One thing that a provider must have or allow before orders go to it, and whether it is so. */
export interface ProviderFinding {
  readonly isRight: boolean;
  /** For the operator: what was found, and where it is wrong what to change. No secret stands in it. */
  readonly sentence: string;
}

/** Asks a provider for what its adapter needs; it changes nothing there. What it throws is a finding, too. */
export type ProviderCheck = () => Promise<readonly ProviderFinding[]>;

/** What is found at a provider of the sandbox. */
export const checkSimulated: ProviderCheck = () =>
  Promise.resolve([right("It is simulated, and needs nothing.")]);

/** A thing that is as it must be. */
export function right(sentence: string): ProviderFinding {
  return { isRight: true, sentence };
}

/** A thing that must be changed before orders go there. */
export function wrong(sentence: string): ProviderFinding {
  return { isRight: false, sentence };
}
