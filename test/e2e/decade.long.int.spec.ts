import { refused, unknown } from "@hostledger/providers";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { property, readEventsOf, type Event } from "../support/books.ts";
import { commandInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { itemsOf, objectOf, type JsonObject } from "../support/matchers.ts";
import { seededRandom } from "../support/seeded-random.ts";
import {
  customerAt,
  offerServers,
  openCustomer,
  registrantProfile,
  type Customer,
} from "../support/staff-client.ts";
import { readModelsOf } from "../support/stored-rows.ts";
import { openTestRegistry, type TestRegistry } from "../support/test-providers.ts";

/**
 * Simulates years of customers who top up, order, renew, cancel and return, with a registrar that is away for days
 * and an instance that is restarted repeatedly: real services and stores, with a virtual clock that jumps a day at a
 * time. Size and seed are settings, so that a decade of 200 accounts can run. The registrar is the sandbox, directly
 * and over EPP in turn; labels in names make orders be refused, lost, and carried out late.
 */

const accounts = Number(process.env.TEST_DECADE_ACCOUNTS ?? 12);
const months = Number(process.env.TEST_DECADE_MONTHS ?? 17);
const seed = Number(process.env.TEST_DECADE_SEED ?? 20_261_123);

/** Average acts of a customer per month. */
const actsOfAMonth = Number(process.env.TEST_DECADE_ACTS ?? 3.5);

const dayMs = 86_400_000;
const daysOfAMonth = 30;
/** Days after an outage within which due work is done. */
const slackDays = 12;

const random = seededRandom(seed);
const clock = virtualClock();
const directory = temporaryDirectory();
const customers: Customer[] = [];
let instance: Instance;
let plan = { planId: 0, regionId: 0 };
type Outside = (typeof outside)[number];
const outside = ["registrar", "dns", "compute"] as const;
/** The day on which each is back that was away. */
const backOn = new Map<Outside, number>();
const isAway = (kind: Outside): boolean => (backOn.get(kind) ?? 0) > today;
const isAnyAway = (): boolean => outside.some(isAway);
/** The registrar is the sandbox, and its registry over EPP, in turn by months. */
let isOverEpp = false;
let registry: TestRegistry | undefined;
/** Days since the start. */
let today = 0;
let names = 0;

/**
 * Questions to the registrar, whose outcome is unknown while it is away; everything else certainly does not reach
 * it.
 */
const questions = new Set<string | symbol>([
  "inquire",
  "inquireTransfer",
  "inquireZone",
  "readFirewall",
  "list",
  "messages",
]);

/** A provider that nothing reaches while it is away. */
function awayAtTimes<Provider extends object>(kind: Outside, provider: Provider): Provider {
  return new Proxy(provider, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || name === "needsRegistrant") return value;
      return (...given: readonly unknown[]): unknown => {
        if (!isAway(kind)) return Reflect.apply(value, target, given);
        return Promise.resolve(
          questions.has(name) ? unknown("It is away.") : refused("unreachable", "It is away."),
        );
      };
    },
  });
}

/** The sandbox's registry over EPP, and a registrar there to which names may leave. */
async function openRegistry(...given: Parameters<typeof openTestRegistry>): Promise<TestRegistry> {
  registry = await openTestRegistry(...given);
  return registry;
}

async function open(): Promise<void> {
  instance = await startInstance({
    data: directory.path,
    clock,
    decorate: {
      registrar: (registrar) => awayAtTimes("registrar", registrar),
      dns: (dns) => awayAtTimes("dns", dns),
      compute: (compute) => awayAtTimes("compute", compute),
    },
    environment: { HOSTLEDGER_QUIET_MS: "10000" },
    ...(isOverEpp && { providers: openRegistry }),
  });
  for (const [index, customer] of customers.entries())
    customers[index] = customerAt(instance.baseUrl, customer);
}

beforeAll(async () => {
  await open();
  const { staff, baseUrl } = instance;
  const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 1_000n, active: true };
  await staff.domains.setPrice({ tld: "com", ...prices, restoreCents: 5_000n });
  const { planId, regionId } = await offerServers(staff, 10_000);
  plan = { planId: Number(planId), regionId: Number(regionId) };
  for (let count = 0; count < accounts; count += 1) {
    const name = `Customer ${String(count)}`;
    const customer = await openCustomer(staff, baseUrl, { balanceCents: 5_000n, name });
    await staff.accounts.setProfile({ accountId: BigInt(customer.accountId), changes: registrantProfile });
    customers.push(customer);
  }
  // One customer never returns, so that every seed has a name that ends.
  const gone = await openCustomer(staff, baseUrl, { balanceCents: 5_000n, name: "Gone" });
  expect((await gone.post("/domains", { domain: "forgotten.com", auto_renew: false })).status).toBe(201);
});

afterAll(async () => {
  await instance.close();
  directory.remove();
});

type Act = (customer: Customer) => Promise<unknown>;

const anyOf = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(random.next() * items.length)];
const listed = async (customer: Customer, path: string): Promise<readonly JsonObject[]> =>
  itemsOf((await customer.get(path)).body);

/** Does something to one of the customer's domains or servers, if there is one. */
const toOne =
  (path: string, act: (customer: Customer, at: string) => Promise<unknown>): Act =>
  async (customer) => {
    const one = anyOf(await listed(customer, path));
    if (one !== undefined) await act(customer, `${path}/${String(one.id)}`);
  };

/** Mostly names that nothing befalls. */
const labels = [
  "d",
  "d",
  "d",
  "d",
  "refused",
  "offline",
  "timeout",
  "lost",
  "limbo",
  "late",
  "nozone",
  "taken",
] as const;
const labelsElsewhere = ["elsewhere", "elsewhere", "elsewhere-refused", "elsewhere-slow"] as const;

function newName(from: readonly [string, ...string[]]): string {
  names += 1;
  return `${random.pick(from)}-${String(names)}.com`;
}

const delegations = [
  ["ns1.example.net", "ns2.example.net"],
  ["ns1.hostledger.example", "ns2.hostledger.example"],
];

/**
 * Acts of customers. The instance decides whether they are allowed; an answer that the document lacks fails the
 * test.
 */
const acts: readonly [Act, ...Act[]] = [
  (customer) => topUp(customer, 5_000n),
  (customer) => topUp(customer, 1_500n),
  (customer) => customer.post("/domains", { domain: newName(labels), auto_renew: random.next() < 0.6 }),
  (customer) => customer.post("/domains", { domain: newName(labels), years: 1 }),
  (customer) => customer.post("/domains", { domain: newName(labels), years: 2 }),
  (customer) =>
    customer.post("/domains/transfer", { domain: newName(labelsElsewhere), auth_code: "let-me-go" }),
  async (customer) => {
    const distroId = (await listed(customer, "/distros"))[0]?.id;
    await customer.post("/order", { plan_id: plan.planId, region_id: plan.regionId, distro_id: distroId });
  },
  toOne("/domains", (customer, at) => customer.post(`${at}/renew`, { years: 1 })),
  toOne("/domains", (customer, at) => customer.post(`${at}/restore`, {})),
  toOne("/domains", (customer, at) => customer.put(`${at}/settings`, { auto_renew: random.next() < 0.5 })),
  toOne("/domains", (customer, at) => customer.delete(at)),
  toOne("/domains", (customer, at) => customer.put(`${at}/nameservers`, { nameservers: anyOf(delegations) })),
  toOne("/servers", (customer, at) => customer.post(`${at}/renew`, { duration: 3 })),
  toOne("/servers", (customer, at) => customer.put(`${at}/settings`, { auto_renew: random.next() < 0.5 })),
  toOne("/servers", (customer, at) => customer.post(`${at}/cancel`, { when: "end_of_term" })),
];

let topUps = 0;
async function topUp({ accountId }: Customer, amountCents: bigint): Promise<void> {
  topUps += 1;
  const reference = `decade-${String(topUps)}`;
  await instance.staff.accounts.topUpAccount({ accountId: BigInt(accountId), amountCents, reference });
}

/** Advances a day: work due by then is done, as far as the registrar is reachable. */
async function aDay(): Promise<void> {
  today += 1;
  clock.advance(dayMs);
  await clock.sleep(5_000);
}

async function aMonth(): Promise<void> {
  for (let day = 0; day < daysOfAMonth; day += 1) {
    for (const customer of customers)
      if (random.next() < actsOfAMonth / daysOfAMonth) await random.pick(acts)(customer);
    // Names that leave have left by the end of the month.
    if (isOverEpp && day < 15 && random.next() < 0.05)
      await leave(anyOf(customers) ?? fail("nobody is there"));
    for (const kind of outside)
      if (!isAway(kind) && random.next() < 0.02) backOn.set(kind, today + 1 + Math.floor(random.next() * 9));
    if (random.next() < 0.02) await restart();
    await aDay();
  }
}

async function restart(): Promise<void> {
  await instance.close();
  await open();
}

/** Names that were to leave. */
const left = new Set<string>();

/** A customer goes to another registrar with a name. */
async function leave(customer: Customer): Promise<void> {
  const domain = anyOf((await listed(customer, "/domains")).filter(({ status }) => status === "active"));
  if (domain === undefined || isAway("registrar")) return;
  const { authCode } = await instance.staff.domains.releaseDomain({ domain: String(domain.id) });
  left.add(String(domain.domain_name));
  names += 1;
  await registry?.other.transferIn({
    clientTransactionId: `leave-${String(names)}`,
    name: String(domain.domain_name),
    authCode,
    registrant: { ...registrantProfile, id: "OTHERS-1", kind: "person", organisation: null },
  });
}

function fail(what: string): never {
  throw new Error(what);
}

/** Returns a sentence for each violated expectation at the end of the month. */
async function findings(): Promise<readonly string[]> {
  const reconciled = await commandInProcess(instance, clock, "audit", "reconcile");
  const { difference_count: count, charges } = objectOf(reconciled.document);
  const found = count === 0 ? [] : [`the books differ: ${JSON.stringify(reconciled.document)}`];
  if (objectOf(charges).unfinished !== 0) found.push("charges are unfinished");
  const compared = await commandInProcess(instance, clock, "reconcile");
  for (const each of itemsOf(objectOf(compared.document).differences)) {
    // Nameservers of a name that moved answer for a while: its zone is the operator's to remove (ADR 0011).
    const isLeftBehind = each.kind === "zone-unpaid" && left.has(String(each.resource));
    if (!isLeftBehind) found.push(JSON.stringify(each));
  }
  const nowMs = clock.epochMilliseconds();
  for (const customer of customers)
    for (const domain of await listed(customer, "/domains")) found.push(...misplaced(domain, nowMs));
  return found;
}

/** Returns names whose state differs from their life cycle. */
function misplaced(
  { domain_name: name, status, expiry_date: expiry, deletes_at: end }: JsonObject,
  nowMs: number,
) {
  const sinceExpiry = (nowMs - Date.parse(String(expiry))) / dayMs;
  const isWrong =
    (sinceExpiry > slackDays && status !== "expired") ||
    (sinceExpiry < 0 && status === "expired") ||
    (typeof end === "string" && (nowMs - Date.parse(end)) / dayMs > slackDays);
  return isWrong
    ? [`${String(name)} is ${String(status)}, ${String(sinceExpiry)} days after ${String(expiry)}`]
    : [];
}

it(
  `the books of ${String(accounts)} accounts agree with registry and nodes at each of ${String(months)} month ends (seed ${String(seed)})`,
  { timeout: 1_800_000 + accounts * months * 3_000 },
  async () => {
    for (let month = 0; month < months; month += 1) {
      await aMonth();
      // The books are compared after the registrar has been reachable long enough for all due work.
      while (isAnyAway()) await aDay();
      await aDay();
      await eventually(clock, async () => expect(await findings()).toEqual([]), {
        limitMs: 600_000,
        everyMs: 20_000,
      });
      isOverEpp = !isOverEpp;
      await restart();
    }
  },
);

it("each failure caused one notice and one ticket, and no ended resource was charged", async () => {
  await instance.close();
  const events = await readEventsOf(directory.path);
  const rows = objectOf(objectOf(readModelsOf(directory.path)["support.sqlite"]));
  await open();
  const kinds = Map.groupBy(itemsOf(rows.notices), ({ kind }) => String(kind));
  // Several events may be one notice.
  const count = (kind: string): number => new Set(kinds.get(kind)?.map((row) => row.notice_id)).size;
  const of = (type: string): readonly Event[] => events.filter((event) => event.type === type);
  expect(count("domain.expired")).toBe(of("DomainExpired").length);
  expect(count("domain.deleted")).toBe(of("DomainDeleted").length);
  expect(count("server.suspended")).toBe(of("ServerSuspended").length);
  expect(count("server.terminated")).toBe(of("ServerTerminated").length);
  const failures = of("DomainRenewalFailed").filter(({ data }) => property(data, "automatic") === true);
  const reasons = new Set(
    failures.map(({ stream, data }) =>
      [stream, property(data, "domainId"), property(data, "expiresAt"), property(data, "reason")].join(),
    ),
  );
  expect(count("domain.renewal_failed")).toBe(reasons.size);
  const tickets = of("TicketOpened").map(({ data }) => String(property(data, "cause")));
  expect(new Set(tickets).size).toBe(tickets.length);
  expect(tickets.filter((cause) => /^(failed)?renewal-\d/.test(cause)).length).toBe(
    new Set(
      failures.map(({ data }) => {
        const isUnpaid = property(data, "reason") === "insufficient-balance";
        const day = String(property(data, "expiresAt")).slice(0, 10);
        return `${isUnpaid ? "" : "failed"}renewal-${String(property(data, "domainId"))}-${day}`;
      }),
    ).size,
  );
  // Something of everything was there, or nothing was shown.
  for (const type of [
    "DomainRenewed",
    "DomainExpired",
    "DomainWithheld",
    "DomainDeleted",
    "DomainTransferredIn",
    "DomainTransferredAway",
    "RegistrationRefunded",
    "ServerRenewed",
    "ServerTerminated",
  ])
    expect([type, of(type).length > 0]).toEqual([type, true]);
  expect(of("InvoiceIssued").some(({ data }) => typeof property(data, "domainId") === "number")).toBe(true);
  expect(chargedAfterTheEnd(events)).toEqual([]);
});

/** Returns invoices of ended domains and servers: each charge has an invoice that names its subject. */
function chargedAfterTheEnd(events: readonly Event[]): readonly string[] {
  const ended = new Set<string>();
  return events.flatMap(({ type, data }) => {
    const about = (kind: "domain" | "server"): string => `${kind} ${String(property(data, `${kind}Id`))}`;
    if (type === "DomainDeleted" || type === "DomainTransferredAway") ended.add(about("domain"));
    if (type === "ServerTerminationBegun") ended.add(about("server"));
    if (type !== "InvoiceIssued") return [];
    return [about("domain"), about("server")].filter((subject) => ended.has(subject));
  });
}

it("the check detects a charge for an ended resource", () => {
  const event = (type: string, data: object): Event => ({
    stream: "domain-x.com",
    revision: 0,
    position: 0,
    id: type,
    type,
    data,
  });
  const charge = event("InvoiceIssued", { domainId: 3, serverId: null });
  const end = event("DomainDeleted", { domainId: 3 });
  expect(chargedAfterTheEnd([charge, end])).toEqual([]);
  expect(chargedAfterTheEnd([end, charge])).toEqual(["domain 3"]);
});
