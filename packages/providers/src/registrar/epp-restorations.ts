import { askDomain, readDomain, readGraceStatuses, reportRestoration, restoreDomain } from "../epp/index.ts";
import type { EppDomains } from "./epp-domains.ts";
import type { NotCarriedOut } from "./epp-outcomes.ts";

/** The registry waits for a report (RFC 3915 §3.1). */
const pendingRestore = "pendingRestore";

/**
 * Has the registry give a name back that it withholds (RFC 3915 §4.2.5), and hands in the report that some want within days: a
 * name without it is withheld again.
 * @returns why it is not back; undefined where it is, and where it was not withheld (2304).
 */
export async function restoreAtRegistry(
  domains: EppDomains,
  name: string,
): Promise<NotCarriedOut | undefined> {
  const asked = await domains.ask(askDomain(name));
  if (asked.kind !== "carried-out") return asked;
  const before = readDomain(asked.response, name);
  // Where the report was lost, or the answer to the request, the registry still waits for it.
  if (!before.graceStatuses.includes(pendingRestore)) {
    const answer = await domains.ask(restoreDomain(name));
    if (answer.kind !== "carried-out") return answer.code === 2304 ? undefined : answer;
    if (!readGraceStatuses(answer.response).includes(pendingRestore)) return undefined;
  }
  const reported = await domains.ask(reportRestoration(name, before, new Date().toISOString()));
  return reported.kind === "carried-out" ? undefined : reported;
}
