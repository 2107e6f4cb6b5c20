/** The labels of the sandbox's table that say what becomes of an order; `plain` says nothing. */
export const behaviours = ["plain", "refused", "offline", "timeout", "lost", "limbo", "late"] as const;

/** How the provider treats an order. */
export type Behaviour = (typeof behaviours)[number];

/** What the contract says of a purchase. */
export interface Expectation {
  /** Status, and the code of a failure: `500 registrar_failed`. */
  readonly answer: string;
  /** How it ends: charged and held by the provider, or the money is back and nothing is held. */
  readonly isDelivered: boolean;
  /** Nobody knows for a while what became of the order: what was ordered is fenced meanwhile. */
  readonly isOpen: boolean;
}

/** What differs between the processes. */
export interface Answers {
  /** Status of what was done. */
  readonly done: number;
  /** The code of 500. */
  readonly failed: string;
}

const settledAtOnce = { isOpen: false } as const;
const open = { isOpen: true } as const;

/** What can be cancelled is paid back at once when nobody answers, and cancelled if it turns up. */
export function cancellable({ done, failed }: Answers): Readonly<Record<Behaviour, Expectation>> {
  const delivered = { answer: String(done), isDelivered: true };
  const undone = { answer: `500 ${failed}`, isDelivered: false };
  return {
    plain: { ...delivered, ...settledAtOnce },
    lost: { ...delivered, ...settledAtOnce },
    refused: { ...undone, ...settledAtOnce },
    offline: { ...undone, ...settledAtOnce },
    timeout: { ...undone, ...open },
    limbo: { ...undone, ...open },
    late: { ...undone, ...open },
  };
}

/** What cannot be taken back stays charged until the provider has told. */
export function lasting({ done, failed }: Answers): Readonly<Record<Behaviour, Expectation>> {
  const delivered = { answer: String(done), isDelivered: true };
  return {
    ...cancellable({ done, failed }),
    // Silence is longer than anybody waits for an answer.
    limbo: { answer: "504 deadline_exceeded", isDelivered: true, ...open },
    late: { ...delivered, ...open },
  };
}
