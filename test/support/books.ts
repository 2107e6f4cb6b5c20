import type { StaffClient } from "@hostledger/rpc";
import { allCharges, auditAccounts } from "./books/accounts.audit.ts";
import { auditDocuments } from "./books/documents.audit.ts";
import { listed, number, type Event } from "./books/books-event.ts";
import { auditProviders, type Holdings } from "./books/providers.audit.ts";
import { auditPurchaseRuns, auditPurchases, auditServers } from "./books/purchases.audit.ts";
import { readPurchases } from "./books/purchases.ts";
import { auditNames, auditRegistrations, auditRuns } from "./books/registrations.audit.ts";
import { auditShown, type Shown } from "./books/shown.audit.ts";
import { auditStreams } from "./books/streams.audit.ts";
import type { Customer } from "./staff-client.ts";

export { property, readEvents, readEventsOf, type Event } from "./books/books-event.ts";
export type { Holdings } from "./books/providers.audit.ts";
export type { Shown } from "./books/shown.audit.ts";

/** All that can be known of an instance from outside its own rules. */
export interface Evidence {
  readonly events: readonly Event[];
  readonly holdings: Holdings;
  /** Runs that staff see as unfinished. */
  readonly unfinishedRuns: readonly string[];
  /** Data that customers see; other accounts are audited by their events only. */
  readonly shown: readonly Shown[];
}

/** Data of a running instance, without its events. */
export type Testimony = Omit<Evidence, "events">;

/**
 * Audits an instance at rest, independently of the code that wrote its events.
 * @returns a sentence per finding; none if books, registrar, DNS server and read models agree.
 */
export function auditBooks({ events, holdings, unfinishedRuns, shown }: Evidence): readonly string[] {
  const findings: string[] = [];
  const report = (finding: string): void => void findings.push(finding);
  auditStreams(events, report);
  const accounts = auditAccounts(events, report);
  auditDocuments(accounts, report);
  const names = auditNames(events, report);
  const charges = allCharges(accounts, report);
  auditRegistrations(names, charges, report);
  auditRuns(events, names, report);
  const purchases = readPurchases(events, report);
  auditPurchases(purchases, accounts, charges, (chargeId) => names.reservations.has(chargeId), report);
  const servers = auditServers(events, report);
  auditPurchaseRuns(events, purchases, report);
  auditProviders(names, servers, holdings, report);
  for (const run of unfinishedRuns) report(`staff is shown ${run} as unfinished`);
  for (const account of shown) auditShown(account, accounts, names, purchases, report);
  return findings;
}

/** Asks a running instance for everything it shows to staff and to these customers. */
export async function hear(staff: StaffClient, customers: readonly Customer[]): Promise<Testimony> {
  const { registrar, dns, compute } = await staff.domains.showSandbox({});
  const unfinished = await Promise.all([staff.domains.listRuns({}), staff.servers.listServerRuns({})]);
  const runs = unfinished.flatMap((list) => list.runs);
  const shown: Shown[] = [];
  for (const customer of customers) shown.push(await shownTo(customer));
  return {
    holdings: {
      registrar,
      compute,
      dns: dns.map(({ name, records }) => ({
        name,
        records: records.map(({ ttl, priority, ...record }) => ({
          ...record,
          ttlSeconds: ttl,
          priority: priority ?? null,
        })),
      })),
    },
    unfinishedRuns: runs.map(({ run, subject, status, step }) => `${run} (${subject}, ${status}, ${step})`),
    shown,
  };
}

async function shownTo(customer: Customer): Promise<Shown> {
  const read = async (path: string): Promise<unknown> => {
    const { status, body } = await customer.get(path);
    if (status !== 200) throw new Error(`GET ${path} answers ${String(status)}: ${JSON.stringify(body)}`);
    return body;
  };
  const domains = await read("/domains");
  const details: unknown[] = [];
  for (const domain of listed(domains)) details.push(await read(`/domains/${String(number(domain, "id"))}`));
  return {
    accountId: customer.accountId,
    balance: await read("/billing/balance"),
    invoices: await read("/billing/invoices"),
    domains,
    details,
  };
}
