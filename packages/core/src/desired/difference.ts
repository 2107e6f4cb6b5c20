/** The severity of a difference; see {@link differenceSeverities}. */
export type DifferenceSeverity = (typeof differenceSeverities)[number];

/**
 * Severities, the gravest first. `critical`: money or a name is at risk, and staff decide. `major`: an ordered resource
 * does not work as ordered. `minor`: no customer is affected.
 */
export const differenceSeverities = ["critical", "major", "minor"] as const;

interface KindOfDifference {
  readonly severity: DifferenceSeverity;
  /** The corrective action: a sentence without its full stop. */
  readonly action: string;
  /** True if `--fix` carries out the action; absent if staff must decide. */
  readonly byFix?: true;
}

const kinds = {
  "domain-missing": {
    severity: "critical",
    action: "Ask the registrar what became of it; to register it again costs money",
  },
  "domain-unpaid": {
    severity: "critical",
    action: "Find out whose it is: charge it, or cancel it at the registrar",
  },
  "domain-expiry": {
    severity: "critical",
    action: "Compare renewals and invoices with the registrar's; renew it there, or charge the years",
  },
  "domain-nameservers": { severity: "major", byFix: true, action: "Delegate the name as its customer wants" },
  "domain-signers": {
    severity: "major",
    byFix: true,
    action: "Hand the registrar the DS records of the zone's keys",
  },
  "domain-lock": { severity: "major", byFix: true, action: "Set the transfer lock as its customer wants" },
  "domain-hold": {
    severity: "major",
    byFix: true,
    action: "Hold the name at the registrar, or release it, as staff suspended it or lifted that",
  },
  "domain-privacy": { severity: "major", byFix: true, action: "Set the WHOIS privacy as its customer wants" },
  "zone-missing": { severity: "major", byFix: true, action: "Create the zone with its records" },
  "zone-records": { severity: "major", byFix: true, action: "Replace the record set" },
  "zone-foreign": {
    severity: "major",
    action:
      "Find out whose the zone is: remove it at the DNS server, or give it the account and the records of this installation",
  },
  "zone-unpaid": {
    severity: "minor",
    action: "Delete the zone at the DNS server, unless it is the operator's own",
  },
  "server-missing": {
    severity: "critical",
    action: "Ask the compute provider what became of it; refund the server, or set it up by hand",
  },
  "server-unpaid": {
    severity: "critical",
    action: "Find out whose it is: charge it, or delete it at the compute provider",
  },
  "server-power": { severity: "major", byFix: true, action: "Start or stop the server as it is paid for" },
  "server-firewall": { severity: "major", byFix: true, action: "Set the firewall as its customer wants" },
  "payment-unknown": {
    severity: "critical",
    action:
      "Find out at the payment provider whose money it is: credit its customer by hand, or send it back there",
  },
  "payment-unsettled": {
    severity: "critical",
    action: "Look at the payment at the payment provider: credit its customer by hand, or send it back there",
  },
  "payment-doubled": {
    severity: "critical",
    action: "Send what the customer paid too often back at the payment provider, or credit it by hand",
  },
  "payment-amount": {
    severity: "critical",
    action: "Compare the payment with the payment provider's, and adjust the account by hand",
  },
  "payment-account": {
    severity: "critical",
    action:
      "Find out whose payment it is: reverse the top-up on the wrong account, and the right one is credited by itself",
  },
  "payment-missing": {
    severity: "critical",
    action: "Ask the payment provider what became of the money; reverse the top-up if it never came",
  },
  "payment-return": {
    severity: "critical",
    action: "Compare what was taken back with the payment provider's, and adjust the account by hand",
  },
  "payment-refund": {
    severity: "critical",
    action: "Find out at the payment provider who sent money back, and adjust the account by hand",
  },
  "stock-unit": {
    severity: "minor",
    action: "Count the units, and set them: hostledger admin stock set",
  },
} as const satisfies Record<string, KindOfDifference>;

/** The thing and its difference. `missing`: only the books have the thing. `unpaid`, `unknown`: only the provider has it. */
export type DifferenceKind = keyof typeof kinds;

export interface Difference {
  readonly kind: DifferenceKind;
  /** The domain name, the server, the record set, the payment, or the plan and region of a stock unit. */
  readonly resource: string;
  readonly severity: DifferenceSeverity;
  /** The state in the books, in words. */
  readonly expected: string;
  /** The state at the provider, in words. */
  readonly found: string;
  readonly action: string;
}

/** Makes a difference with the severity and the action of its kind. */
export function difference(
  kind: DifferenceKind,
  resource: string,
  { expected, found }: Pick<Difference, "expected" | "found">,
): Difference {
  const { severity, action } = kinds[kind];
  const sentence = isMendable(kind) ? `${action} (--fix).` : `${action}.`;
  return { kind, resource, severity, expected, found, action: sentence };
}

/** True if `--fix` can remove differences of this kind without a risk to money or a name. */
export function isMendable(kind: DifferenceKind): boolean {
  return "byFix" in kinds[kind];
}
