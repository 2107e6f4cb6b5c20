import { isRegistrarEpp } from "../tried-registrar.ts";

/** The labels of the sandbox's table that say what becomes of an order; `plain` says nothing. */
const ofProviders = ["plain", "refused", "offline", "timeout", "lost", "limbo", "late"] as const;

/** Labels of the test registry: the connection is cut before, after, or in the answer to what it carried out. */
const ofConnections = ["cutbefore", "cutafter", "halfframe"] as const;

/** How a provider treats an order, whoever it is. */
export type ProviderBehaviour = (typeof ofProviders)[number];

/** How an order is treated, by the provider or on its way there. */
export type Behaviour = ProviderBehaviour | (typeof ofConnections)[number];

/** Those that are tried. */
export const behaviours: readonly Behaviour[] = isRegistrarEpp
  ? [...ofProviders, ...ofConnections]
  : ofProviders;

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
export function cancellable({ done, failed }: Answers): Readonly<Record<ProviderBehaviour, Expectation>> {
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
export function lasting({ done, failed }: Answers): Readonly<Record<ProviderBehaviour, Expectation>> {
  const delivered = { answer: String(done), isDelivered: true };
  return {
    ...cancellable({ done, failed }),
    // Silence is longer than anybody waits for an answer.
    limbo: { answer: "504 deadline_exceeded", isDelivered: true, ...open },
    late: { ...delivered, ...open },
  };
}

/** What the test registry's connections do to an order is nothing else than what providers do. */
export function overConnections(
  expectations: Readonly<Record<ProviderBehaviour, Expectation>>,
): Readonly<Record<Behaviour, Expectation>> {
  const { lost, timeout } = expectations;
  return { ...expectations, cutbefore: timeout, cutafter: lost, halfframe: lost };
}
