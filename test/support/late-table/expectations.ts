import { isRegistrarEpp } from "../tried-registrar.ts";

/** Labels of the sandbox that decide the outcome of an order; `plain` is an undisturbed order. */
const ofProviders = ["plain", "refused", "offline", "timeout", "lost", "limbo", "late"] as const;

/** Labels of the test registry: it cuts the connection before, after, or within the answer to a command. */
const ofConnections = ["cutbefore", "cutafter", "halfframe"] as const;

/** A behaviour of a provider. */
export type ProviderBehaviour = (typeof ofProviders)[number];

/** A behaviour of a provider or of the connection. */
export type Behaviour = ProviderBehaviour | (typeof ofConnections)[number];

/** The tested behaviours. */
export const behaviours: readonly Behaviour[] = isRegistrarEpp
  ? [...ofProviders, ...ofConnections]
  : ofProviders;

/** Answer that the contract requires for a purchase. */
export interface Expectation {
  /** Status, and the code of a failure: `500 registrar_failed`. */
  readonly answer: string;
  /** True if it ends charged and held; false if it ends refunded and not held. */
  readonly isDelivered: boolean;
  /** True if the outcome is unknown for a while; the subject is then fenced. */
  readonly isOpen: boolean;
}

/** Answers that differ between the processes. */
export interface Answers {
  /** Status of a success. */
  readonly done: number;
  /** The code of 500. */
  readonly failed: string;
}

const settledAtOnce = { isOpen: false } as const;
const open = { isOpen: true } as const;

/** Expectations of a cancellable order: refunded at once without an answer, and cancelled if it was carried out. */
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

/** Expectations of an order that cannot be cancelled: it stays charged until the provider answers. */
export function lasting({ done, failed }: Answers): Readonly<Record<ProviderBehaviour, Expectation>> {
  const delivered = { answer: String(done), isDelivered: true };
  return {
    ...cancellable({ done, failed }),
    // Silence is longer than anybody waits for an answer.
    limbo: { answer: "504 deadline_exceeded", isDelivered: true, ...open },
    late: { ...delivered, ...open },
  };
}

/** Derives the expectations of broken connections from those of provider behaviours. */
export function overConnections(
  expectations: Readonly<Record<ProviderBehaviour, Expectation>>,
): Readonly<Record<Behaviour, Expectation>> {
  const { lost, timeout } = expectations;
  return { ...expectations, cutbefore: timeout, cutafter: lost, halfframe: lost };
}
