/** Simulated outcome of a registration order. */
export type OrderFate =
  | "carried-out"
  /** The registrar refuses. */
  | "rejected"
  /** No connection, so nothing was sent. */
  | "unreachable"
  /** Neither carried out nor answered. */
  | "swallowed"
  /** Carried out, but the answer is lost. */
  | "answer-lost"
  /** Never answered; questions are not answered either until the order is carried out. */
  | "in-limbo"
  /** Never answered and reported as not held, then carried out later. */
  | "late";

/** Behaviour of another registrar in a transfer. */
export interface LosingRegistrar {
  readonly release: boolean;
  /** Milliseconds until its answer. */
  readonly answersAfterMs: number;
}

export interface Behaviour {
  readonly available: boolean;
  /** Another registrar that holds the name; null if none. */
  readonly elsewhere: LosingRegistrar | null;
  readonly order: OrderFate;
  readonly refusesNameservers: boolean;
  /** Number of refused attempts before a zone is created. */
  readonly zoneRefusals: number;
  /** Minimum duration of every call in milliseconds. */
  readonly callMs: number;
}

const ordinary: Behaviour = {
  available: true,
  elsewhere: null,
  order: "carried-out",
  refusesNameservers: false,
  zoneRefusals: 0,
  callMs: 0,
};

/** A row of the table: its meaning for people, and the simulated behaviour. */
export interface SandboxLabel {
  readonly label: string;
  readonly meaning: string;
  readonly behaviour: Partial<Behaviour>;
}

/** Labels anywhere in a name determine its behaviour. Several combine; in a conflict the earlier row wins. */
export const sandboxLabels: readonly SandboxLabel[] = [
  // These two contain other labels as words, which they override.
  {
    label: "elsewhere-refused",
    meaning: "held at another registrar, which refuses a transfer after 1 s",
    behaviour: {
      available: false,
      order: "carried-out",
      elsewhere: { release: false, answersAfterMs: 1_000 },
    },
  },
  {
    label: "elsewhere-slow",
    meaning: "held at another registrar, which releases the name after 30 s",
    behaviour: { available: false, callMs: 0, elsewhere: { release: true, answersAfterMs: 30_000 } },
  },
  {
    label: "elsewhere",
    meaning:
      "not available: held at another registrar, which releases it after 1 s for the auth code `let-me-go`; any other code is refused",
    behaviour: { available: false, elsewhere: { release: true, answersAfterMs: 1_000 } },
  },
  { label: "taken", meaning: "not available", behaviour: { available: false, order: "rejected" } },
  { label: "refused", meaning: "available, the order is rejected", behaviour: { order: "rejected" } },
  {
    label: "offline",
    meaning: "available, the registrar cannot be reached for the order",
    behaviour: { order: "unreachable" },
  },
  {
    label: "timeout",
    meaning: "the order never answers and is not carried out",
    behaviour: { order: "swallowed" },
  },
  {
    label: "limbo",
    meaning: "the order never answers, asking fails for a while, then it turns out to have been carried out",
    behaviour: { order: "in-limbo" },
  },
  {
    label: "late",
    meaning:
      "the order never answers, asking says that nothing is held, a while later it is carried out after all",
    behaviour: { order: "late" },
  },
  {
    label: "lost",
    meaning: "the order is carried out but its answer is lost",
    behaviour: { order: "answer-lost" },
  },
  {
    label: "nozone",
    meaning: "the DNS server refuses the zone the first 3 times",
    behaviour: { zoneRefusals: 3 },
  },
  { label: "badns", meaning: "custom nameservers are refused", behaviour: { refusesNameservers: true } },
  { label: "slow", meaning: "every call takes 3 s", behaviour: { callMs: 3_000 } },
];

export function behaviourOf(name: string): Behaviour {
  const rows = sandboxLabels.filter(({ label }) => name.includes(label));
  if (rows.length === 0) return ordinary;
  return rows.reduceRight<Behaviour>((behaviour, row) => ({ ...behaviour, ...row.behaviour }), ordinary);
}
