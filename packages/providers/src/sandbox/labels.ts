/** What becomes of an order to register a name. */
export type OrderFate =
  | "carried-out"
  /** The registrar says no. */
  | "rejected"
  /** No connection: nothing was sent. */
  | "unreachable"
  /** Neither carried out nor answered. */
  | "swallowed"
  /** Carried out, but the answer is lost on its way. */
  | "answer-lost"
  /** Never answered, and a question about the name is not answered either, until the order turns out carried out. */
  | "in-limbo"
  /** Never answered, and nothing is held when asked; it is carried out a while later all the same. */
  | "late";

/** How another registrar treats the transfer of a name that it holds. */
export interface LosingRegistrar {
  readonly release: boolean;
  /** How long it takes to answer. */
  readonly answersAfterMs: number;
}

/** How the simulated providers treat a name. */
export interface Behaviour {
  readonly available: boolean;
  /** Another registrar holds the name, and treats a transfer to us so; null when none does. */
  readonly elsewhere: LosingRegistrar | null;
  readonly order: OrderFate;
  readonly refusesNameservers: boolean;
  /** So many attempts to create the zone are refused before one succeeds. */
  readonly zoneRefusals: number;
  /** Every call takes at least so long. */
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

/** One row of the table: what a person reads, and what the simulation does. */
export interface SandboxLabel {
  readonly label: string;
  readonly meaning: string;
  readonly behaviour: Partial<Behaviour>;
}

/**
 * The table: a name behaves as the labels it contains say, at any place in it. Several combine; where two speak of the
 * same thing, the upper one wins.
 */
export const sandboxLabels: readonly SandboxLabel[] = [
  // The words behind the dash would be labels of their own: these two say that they are not meant.
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

/** How the simulated providers treat this name. */
export function behaviourOf(name: string): Behaviour {
  const rows = sandboxLabels.filter(({ label }) => name.includes(label));
  if (rows.length === 0) return ordinary;
  return rows.reduceRight<Behaviour>((behaviour, row) => ({ ...behaviour, ...row.behaviour }), ordinary);
}
