import { auditBooks, hear, readEventsOf } from "./books.ts";
import type { Fleet } from "./fleet.ts";
import type { Purchase } from "./fleet-load.ts";
import { brokenPromises } from "./promises.ts";
import { settled } from "./settled.ts";
import { customerAt, type Customer } from "./staff-client.ts";

/** Possible final answers for a careful client, whatever happens. */
const answers = [
  "201",
  "400 insufficient_balance",
  "409 registration_in_flight",
  "422 domain_taken",
  "422 domain_not_available",
  "500 registrar_failed",
];

/**
 * Waits until a fleet is at rest, reads its data, stops it, and compares answers to customers, the log, the
 * registrar, the DNS server and the read models. The fleet does not run afterwards.
 * @returns a sentence per finding.
 */
export async function auditFleet(
  fleet: Fleet,
  customers: readonly Customer[],
  purchases: readonly Purchase[],
): Promise<readonly string[]> {
  await fleet.ready();
  await settled(fleet.staff);
  const testimony = await hear(
    fleet.staff,
    customers.map((customer) => customerAt(fleet.baseUrl, customer)),
  );
  const findings = purchases.flatMap(({ faults }) => faults);
  for (const member of fleet.members.toReversed()) {
    findings.push(...member.accidents);
    const code = await member.stop();
    if (code !== 0) findings.push(`${member.name} ended with ${String(code)}: ${member.complaints()}`);
  }
  const events = await readEventsOf(fleet.data);
  findings.push(...auditBooks({ events, ...testimony }));
  findings.push(...brokenPromises(purchases, testimony.shown, answers));
  return findings;
}
