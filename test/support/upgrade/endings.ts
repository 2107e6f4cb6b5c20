import type { StaffClient } from "@hostledger/rpc";
import { realTiming } from "@hostledger/runtime";

import { property, type Event } from "../books.ts";
import type { Instance } from "../instance.ts";
import { itemsOf, type JsonObject } from "../matchers.ts";
import { settled } from "../settled.ts";
import { customerAt, type Customer } from "../staff-client.ts";
import type { Endings, StoppedRun, StoredEvent } from "./fixture.ts";

/** Maximum time for everything to settle, in milliseconds. */
const limitMs = 200_000;

/** A run that has not ended, as staff are shown it. */
interface UnfinishedRun {
  readonly run: string;
  readonly status: string;
}

/** End of a run. */
export interface Ending {
  readonly run: string;
  readonly outcome: string;
  readonly chargedCents: string;
  readonly refundedCents: string;
}

/** The runs that staff are shown as unfinished. */
export async function unfinishedRuns(staff: StaffClient): Promise<readonly UnfinishedRun[]> {
  const lists = await Promise.all([staff.domains.listRuns({}), staff.servers.listServerRuns({})]);
  return lists.flatMap(({ runs }) => runs);
}

/**
 * Waits until nothing but runs that wait for staff is unfinished, says staff's word to those it is said of, and waits until
 * nothing is unfinished.
 */
export async function endAllRuns({ staff }: Instance, runs: readonly StoppedRun[]): Promise<void> {
  await until("only suspended runs are left", async () =>
    (await unfinishedRuns(staff)).every(({ status }) => status === "parked"),
  );
  for (const { run, process, word } of runs) {
    const reason = "Ended after the upgrade";
    const isOfDomains = process === "registration" || process === "renewal";
    if (word === "retry")
      await (isOfDomains ? staff.domains.retryRun({ run }) : staff.servers.retryServerRun({ run }));
    if (word === "abandon")
      await (isOfDomains
        ? staff.domains.abandonRun({ run, reason })
        : staff.servers.abandonServerRun({ run, reason }));
  }
  await settled(staff);
}

/** Waits until something is so. @throws Error when it does not become so in time. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = realTiming.monotonicMilliseconds() + limitMs;
  while (!(await isSo())) {
    if (realTiming.monotonicMilliseconds() > giveUpAt) throw new Error(`it never came that ${what}`);
    await realTiming.sleep(100);
  }
}

/** Returns the end of each run, from its last event and the account's events about its charge. */
export function endingsOf(runs: readonly StoppedRun[], facts: readonly Event[]): readonly Ending[] {
  const outcomes = new Map<string, string>();
  const charged = new Map<string, bigint>();
  const refunded = new Map<string, bigint>();
  for (const { stream, type, data } of facts) {
    const outcome = property(data, "outcome");
    if (/^(Registration|ServerOrder|Renewal|ServerRenewal)Completed$/.test(type))
      outcomes.set(stream, String(outcome));
    if (type === "BalanceCharged") addTo(charged, data);
    if (type === "RegistrationRefunded" || type === "ChargeRefunded") addTo(refunded, data);
  }
  return runs.map(({ run }) => ({
    run,
    outcome: outcomes.get(run) ?? "none",
    chargedCents: String(charged.get(run) ?? 0n),
    refundedCents: String(refunded.get(run) ?? 0n),
  }));
}

function addTo(sums: Map<string, bigint>, data: unknown): void {
  const charge = String(property(data, "chargeId"));
  sums.set(charge, (sums.get(charge) ?? 0n) + BigInt(String(property(data, "grossCents"))));
}

/** Returns the outcome of each domain change; `pending` before its end. */
export function changeOutcomes(facts: readonly StoredEvent[]): ReadonlyMap<string, string> {
  const outcomes = new Map<string, string>();
  for (const { type, data } of facts) {
    const changeId = String(property(data, "changeId"));
    if (type === "DomainChangeStarted") outcomes.set(changeId, "pending");
    if (type === "DomainChangeCompleted") outcomes.set(changeId, "completed");
    if (type === "DomainChangeFailed") outcomes.set(changeId, "failed");
  }
  return outcomes;
}

/** A customer of the fixture's, under a new key: the old ones are hashes there, as everywhere. */
export async function customerOf({ staff, baseUrl }: Instance, accountId: number): Promise<Customer> {
  const { apiKey } = await staff.accounts.issueApiKey({ accountId: BigInt(accountId) });
  return customerAt(baseUrl, { accountId, apiKey });
}

/** Returns the resources that customers see and that the outside providers hold. */
export async function holdingsOf(instance: Instance, customers: readonly Customer[]): Promise<Endings> {
  const accounts: Endings["accounts"] = {};
  for (const customer of customers) accounts[String(customer.accountId)] = await shownTo(instance, customer);
  const { registrar, dns, compute } = await instance.staff.domains.showSandbox({});
  return {
    accounts,
    registrar: Object.fromEntries(
      registrar.map(({ name, expiresAt, nameservers }) => [
        name,
        [dayOf(expiresAt), ...nameservers].join(" "),
      ]),
    ),
    dns: Object.fromEntries(dns.map(({ name, records }) => [name, records.length])),
    compute: Object.fromEntries(
      compute.map(({ name, running, firewallEnabled, firewallRules }) => [
        name,
        `${running ? "runs" : "stopped"}, firewall ${firewallEnabled ? "on" : "off"}, ${String(firewallRules)} rules`,
      ]),
    ),
  };
}

async function shownTo({ staff }: Instance, customer: Customer): Promise<Endings["accounts"][string]> {
  const accountId = BigInt(customer.accountId);
  const { balanceCents } = await staff.accounts.showAccount({ accountId });
  const domains = itemsOf((await customer.get("/domains")).body);
  const servers = itemsOf((await customer.get("/servers")).body);
  return {
    balanceCents: String(balanceCents),
    domains: Object.fromEntries(domains.map((domain) => [String(domain.domain_name), domainInShort(domain)])),
    servers: Object.fromEntries(servers.map((server) => [`server-${String(server.id)}`, untilDay(server)])),
  };
}

function domainInShort(domain: JsonObject): string {
  const renewal = domain.auto_renew === true ? ", renewed automatically" : "";
  const privacy = domain.whois_privacy === true ? "" : ", public";
  return `${untilDay(domain)}${renewal}${privacy}${domain.lock_status === true ? "" : ", unlocked"}`;
}

function untilDay({ status, expiry_date }: JsonObject): string {
  return `${String(status)} until ${dayOf(String(expiry_date))}`;
}

function dayOf(instant: string): string {
  return instant.slice(0, 10);
}
