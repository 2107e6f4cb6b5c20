import { asLine } from "@hostledger/core";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import { throughCalls, type LimitedCall } from "./with-limits.ts";

/** A call that was refused or not answered. */
export interface FailedCall {
  /** Name of the registrar, `dns` or `compute`. */
  readonly provider: string;
  /** The port's name of the call, such as `register`. */
  readonly call: string;
  /** Name of the domain, zone or server; empty for a call about all. */
  readonly subject: string;
  /** `rejected`, `unreachable` or `unknown`. */
  readonly outcome: string;
  /** Code and text of the answer, or a description of the failure, in one line. */
  readonly words: string;
  /** The provider's code if only staff can solve the problem. */
  readonly codeForStaff: string | undefined;
}

/** Maximum characters stored of a provider's message. */
const longestWords = 500;

/**
 * Codes that require staff. EPP (RFC 5730 §3): a parameter is missing, out of range or malformed; the deposit is used
 * up; an option or service is unavailable; the login is refused; a policy forbids the command. HTTP: the credential is
 * refused.
 */
const codesForStaff: ReadonlySet<string> = new Set(
  "2003 2004 2005 2100 2101 2102 2103 2104 2200 2306 2307 2308 2501 401 403".split(" "),
);

/** Matches the code in an adapter's sentence: "The registry answers 2104: …", "… answered GET /nodes with 403: …". */
const codeInWords = /(?:answers|login:|with|\() ?(\d{3,4})\b/;

/** Wraps a provider and reports every failed call. */
export function reportingFailures<Provider extends Registrar | Dns | Compute>(
  provider: Provider,
  name: string,
  report: (failed: FailedCall) => void,
): Provider {
  const reporting: LimitedCall = async ({ name: call, subject }, make) => {
    const answer = await make();
    if (answer.outcome === "refused" || answer.outcome === "unknown") {
      const outcome = "reason" in answer ? answer.reason : answer.outcome;
      const said = "message" in answer && typeof answer.message === "string" ? answer.message : "";
      const words = asLine(said, longestWords, "No reason was given");
      const code = codeInWords.exec(words)?.[1] ?? "";
      const codeForStaff = codesForStaff.has(code) ? code : undefined;
      report({ provider: name, call, subject, outcome, words, codeForStaff });
    }
    return answer;
  };
  return throughCalls(provider, reporting);
}
