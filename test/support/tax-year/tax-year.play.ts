import { eventually, virtualClock, type VirtualClock } from "@hostledger/runtime/testing";

import { commandInProcess, textInProcess } from "../command-in-process.ts";
import { startInstance, type Instance } from "../instance.ts";
import { itemsOf, objectOf, type JsonObject } from "../matchers.ts";
import { customerAt, offerServers, sell, type Customer } from "../staff-client.ts";
import { regular, smallBusiness } from "./tax-year.table.ts";

/** Plays the year of the table: customers at the REST API, staff and auditors at the command line, by a virtual clock. */

const seller = {
  HOSTLEDGER_TAX: "eu",
  HOSTLEDGER_SELLER_NAME: "Hosting GmbH",
  HOSTLEDGER_SELLER_STREET: "Hauptstraße 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
  HOSTLEDGER_SELLER_TAX_NUMBER: "21/815/08150",
};

const address = { street: "Street 1", city: "City", postal_code: "1000" };

const profiles: Readonly<Record<string, object>> = {
  anna: { kind: "person", name: "Anna Ahrens", country: "DE" },
  bauer: { kind: "organisation", organisation: "Bauer GmbH", country: "DE", vat_id: "DE136695976" },
  jansen: { kind: "organisation", organisation: "Jansen BV", country: "NL", vat_id: "NL004495445B01" },
  marie: { kind: "person", name: "Marie Martin", country: "FR" },
  keller: { kind: "organisation", organisation: "Keller AG", country: "CH" },
  otto: { kind: "person", name: "Otto Ohm", country: "DE" },
};

/** A seller's year while it is played, and afterwards. */
export interface Year {
  readonly instance: Instance;
  readonly clock: VirtualClock;
  readonly customers: ReadonlyMap<string, Customer>;
  readonly planId: number;
  readonly regionId: number;
  /** Runs `hostledger …`. @returns its output. @throws Error if its exit code is not 0. */
  readonly said: (line: string, ...more: readonly string[]) => Promise<string>;
  /** The same with `--json`. */
  readonly asStaff: (line: string, ...more: readonly string[]) => Promise<JsonObject>;
  close(): Promise<void>;
}

type Act = (customer: Customer, year: Year) => Promise<unknown>;

/** Sends a request that must succeed. */
async function done(
  answer: Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<JsonObject> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`the answer is ${String(status)}: ${JSON.stringify(body)}`);
  return objectOf(body);
}

const registers =
  (domain: string, { years = 1, renews = false } = {}): Act =>
  (customer) =>
    done(customer.post("/domains", { domain, years, auto_renew: renews }));

const ordersServer =
  (duration: number, { renews = false } = {}): Act =>
  async (customer, { planId, regionId }) => {
    const distroId = itemsOf((await customer.get("/distros")).body)[0]?.id;
    const order = { plan_id: planId, region_id: regionId, distro_id: distroId, duration };
    const path = `/servers/${String((await done(customer.post("/order", order))).server_id)}`;
    await done(
      renews
        ? customer.put(`${path}/settings`, { auto_renew: true })
        : customer.post(`${path}/cancel`, { at: "end_of_term" }),
    );
  };

/** Staff refund an invoice, or a part of it. */
const isRefunded =
  (invoice: string, amount?: string): Act =>
  (_customer, { asStaff }) =>
    asStaff(
      `admin charge refund ${invoice} ${amount === undefined ? "" : `--amount ${amount}`}`.trim(),
      "--reason",
      "The service was down",
    );

/** Waits until the customer has so many documents: renewals happen by themselves. */
const has =
  (documents: number): Act =>
  (customer, { clock }) =>
    eventually(clock, async () => {
      const { length } = itemsOf((await customer.get("/billing/invoices")).body);
      if (length !== documents)
        throw new Error(`there are ${String(length)} documents, not ${String(documents)}`);
    });

const renewing = { renews: true };

/** Steps of the year, in the order of time (UTC). */
const steps: readonly (readonly [at: string, customer: string, act: Act])[] = [
  ["2026-01-15T10:00", "anna", registers("anna.com", renewing)],
  ["2026-01-15T10:00", "bauer", registers("bauer.com", renewing)],
  ["2026-01-15T10:00", "jansen", registers("jansen.com", renewing)],
  ["2026-01-15T10:00", "marie", registers("marie.com", renewing)],
  ["2026-01-15T10:00", "keller", registers("keller.com", renewing)],
  ["2026-01-15T10:00", "otto", registers("otto.com", renewing)],
  ["2026-02-02T10:00", "anna", ordersServer(12, renewing)],
  ["2026-02-02T10:00", "jansen", ordersServer(12, renewing)],
  ["2026-02-02T10:00", "keller", ordersServer(12, renewing)],
  ["2026-02-02T10:00", "otto", ordersServer(12, renewing)],
  ["2026-03-10T10:00", "anna", isRefunded("2026-1-000001", "5.00")],
  ["2026-03-10T10:00", "bauer", registers("bauer.dev", { years: 5 })],
  [
    "2026-06-20T10:00",
    "marie",
    (_customer, { asStaff }) => asStaff("admin tax oss --from 2026-07-01 --reason Registered"),
  ],
  ["2026-06-30T22:30", "marie", registers("marie-deux.com")],
  ["2026-08-05T10:00", "marie", isRefunded("2026-4-000001", "3.00")],
  ["2026-08-05T10:00", "marie", ordersServer(1)],
  ["2026-12-31T23:30", "anna", registers("anna-neujahr.com")],
  ["2027-01-08T12:00", "anna", has(6)],
  ["2027-01-08T12:00", "bauer", has(4)],
  ["2027-01-08T12:00", "jansen", has(4)],
  ["2027-01-08T12:00", "marie", has(6)],
  ["2027-01-08T12:00", "keller", has(4)],
  ["2027-01-08T12:00", "otto", has(4)],
  ["2027-01-20T10:00", "anna", isRefunded("2026-1-000001")],
  ["2027-01-20T10:00", "bauer", isRefunded("2026-2-000002")],
  ["2027-01-20T10:00", "jansen", isRefunded("2026-3-000001", "4.00")],
  ["2027-01-20T10:00", "marie", isRefunded("2026-4-000002", "6.00")],
  ["2027-01-20T10:00", "keller", isRefunded("2026-5-000001")],
  ["2027-01-20T10:00", "otto", isRefunded("2026-1-000001", "2.50")],
  ["2027-01-26T12:00", "anna", has(8)],
  ["2027-01-26T12:00", "jansen", has(6)],
  ["2027-01-26T12:00", "keller", has(6)],
  ["2027-01-26T12:00", "otto", has(6)],
];

/** Both sellers, with their customers in the order of their accounts. */
export const sellers = [
  {
    seller: "a seller who charges VAT",
    table: regular,
    customers: ["anna", "bauer", "jansen", "marie", "keller"],
    isSmallBusiness: false,
  },
  { seller: "a small business", table: smallBusiness, customers: ["otto"], isSmallBusiness: true },
] as const;

/** Plays the year of a seller with these customers. Close it at the end. */
export async function playYear(names: readonly string[], { isSmallBusiness = false } = {}): Promise<Year> {
  const clock = virtualClock("2026-01-15T09:00:00.000000Z");
  const instance = await startInstance({ clock, environment: seller });
  const { staff } = instance;
  await sell(staff, "com");
  await sell(staff, "dev", 5_000n);
  const { planId, regionId } = await offerServers(staff);
  const customers = new Map<string, Customer>();
  const year: Year = {
    instance,
    clock,
    customers,
    planId: Number(planId),
    regionId: Number(regionId),
    async said(line, ...more) {
      const { code, stdout, stderr } = await textInProcess(instance, clock, ...line.split(" "), ...more);
      if (code !== 0) throw new Error(`hostledger ${line} ends with ${String(code)}: ${stderr}`);
      return stdout;
    },
    async asStaff(line, ...more) {
      const { code, document, stderr } = await commandInProcess(instance, clock, ...line.split(" "), ...more);
      if (code !== 0) throw new Error(`hostledger ${line} ends with ${String(code)}: ${stderr}`);
      return objectOf(document);
    },
    close: () => instance.close(),
  };
  if (isSmallBusiness) await year.asStaff("admin seller set --small-business yes --reason Small");
  for (const name of names) customers.set(name, await opened(name, year));
  for (const [at, name, act] of steps) {
    const customer = customers.get(name);
    if (customer === undefined) continue;
    const leftMs = Date.parse(`${at}Z`) - clock.epochMilliseconds();
    if (leftMs > 60_000) {
      clock.advance(leftMs);
      await clock.sleep(5_000);
    }
    await act(customer, year);
  }
  return year;
}

/** Opens an account with its payment and profile, and waits for the answer about its VAT id if that decides about taxes. */
async function opened(name: string, { instance, clock, asStaff }: Year): Promise<Customer> {
  const { account_id: accountId } = await asStaff("admin account open --name", name);
  const amount = name === "bauer" ? "500.00" : "300.00";
  await asStaff(`admin account top-up ${String(accountId)} --amount ${amount} --reference payment-${name}`);
  const { api_key: apiKey } = await asStaff(`admin key issue ${String(accountId)}`);
  const customer = customerAt(instance.baseUrl, { accountId: Number(accountId), apiKey: String(apiKey) });
  await done(customer.put("/account", { name, ...address, ...profiles[name] }));
  if (name === "jansen")
    await eventually(clock, async () => {
      const { quote } = await done(customer.get("/domains/search?domain=asked.com"));
      if (objectOf(quote).vat !== 0) throw new Error("the VAT id is not checked yet");
    });
  return customer;
}
