/** A requirement that a provider must fulfil before orders, and whether it does. */
export interface ProviderFinding {
  readonly isRight: boolean;
  /** Sentence for the operator: the finding, and the necessary change if wrong. Contains no secrets. */
  readonly sentence: string;
}

/** Checks a provider's requirements without changing anything. Errors become findings. */
export type ProviderCheck = () => Promise<readonly ProviderFinding[]>;

export const checkSimulated: ProviderCheck = () =>
  Promise.resolve([right("It is simulated, and needs nothing.")]);

/** Returns a fulfilled requirement. */
export function right(sentence: string): ProviderFinding {
  return { isRight: true, sentence };
}

/** Returns an unfulfilled requirement. */
export function wrong(sentence: string): ProviderFinding {
  return { isRight: false, sentence };
}
