import type { Evidence, Event } from "../books.ts";

/** An event before it has a place in the log. */
export interface Entry {
  readonly stream: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const entry = (stream: string, type: string, data: Entry["data"]): Entry => ({ stream, type, data });

export const sums = (netCents: string, vatCents: string, grossCents: string) => ({
  netCents,
  vatRatePercent: vatCents === "0" ? 0 : 19,
  vatCents,
  grossCents,
});

const nothing = { duration: 0, domainId: null };
const yearOf = (domainId: number) => ({ duration: 1, domainId, serverId: null, planId: null });

const invoice = (invoiceId: number, number: string, cause: string, domainId: number): Entry =>
  entry("account-7", "InvoiceIssued", {
    invoiceId,
    number,
    cause,
    action: "purchase",
    pricesIncludeVat: false,
    lines: [{ description: "a year", quantity: 1, unitCents: "1000", amountCents: "1000" }],
    ...sums("1000", "190", "1190"),
    ...yearOf(domainId),
  });

const reservation = (id: number, name: string): Entry =>
  entry(`domain-${name}`, "RegistrationReserved", {
    registrationId: `registration-${String(id)}`,
    domainId: id,
    accountId: 7,
    name,
    years: 1,
    yearNetCents: "1000",
    nameservers: null,
  });

const completed = (id: number, outcome: string): Entry =>
  entry(`registration-${String(id)}`, "RegistrationCompleted", { outcome });

export const record = (recordId: number, name: string) => ({
  recordId,
  type: "A",
  name,
  value: "192.0.2.10",
  ttlSeconds: 3600,
  priority: null,
});

/** One account: `kept.com` is registered and paid; `back.com` was refused by the registrar and refunded. */
export const rightEntries: readonly Entry[] = [
  entry("account-7", "AccountOpened", { accountId: 7, name: "Test", vatExempt: false }),
  entry("account-7", "BalanceCredited", { reference: "R", amountCents: "5000", balanceAfterCents: "5000" }),
  entry("account-7", "InvoiceIssued", {
    invoiceId: 1,
    number: "2026-7-T000001",
    action: "topup",
    cause: "R",
    // A document as its first version was stored.
    lines: [{ description: "Balance top-up", quantity: 1, unitNetCents: "5000", netCents: "5000" }],
    ...sums("5000", "0", "5000"),
    ...nothing,
  }),
  reservation(1, "kept.com"),
  entry("account-7", "BalanceCharged", {
    chargeId: "registration-1",
    invoiceId: 2,
    grossCents: "1190",
    balanceAfterCents: "3810",
  }),
  invoice(2, "2026-7-000001", "registration-1", 1),
  entry("domain-kept.com", "DomainRegistered", {
    registrationId: "registration-1",
    domainId: 1,
    accountId: 7,
    name: "kept.com",
    chargeId: "registration-1",
    invoiceId: 2,
    grossCents: "1190",
    expiresAt: "2027",
    nameservers: ["ns1.service.example"],
  }),
  entry("domain-kept.com", "ZoneCreated", { domainId: 1, records: [record(1, "@"), record(2, "www")] }),
  completed(1, "delivered"),
  reservation(2, "back.com"),
  entry("account-7", "BalanceCharged", {
    chargeId: "registration-2",
    invoiceId: 3,
    grossCents: "1190",
    balanceAfterCents: "2620",
  }),
  invoice(3, "2026-7-000002", "registration-2", 2),
  entry("account-7", "RegistrationRefunded", {
    chargeId: "registration-2",
    correctionId: 4,
    grossCents: "1190",
    balanceAfterCents: "3810",
  }),
  entry("account-7", "CorrectionIssued", {
    correctionId: 4,
    number: "2026-7-C000001",
    chargeId: "registration-2",
    correctsInvoiceId: 3,
    correctsNumber: "2026-7-000002",
    ...sums("-1000", "-190", "-1190"),
    ...yearOf(2),
  }),
  entry("domain-back.com", "RegistrationReleased", { registrationId: "registration-2" }),
  completed(2, "refunded"),
];

/** Gives the entries their places in the log. */
export function logOf(entries: readonly Entry[]): readonly Event[] {
  const lengths = new Map<string, number>();
  return entries.map((event, index) => {
    const revision = lengths.get(event.stream) ?? 0;
    lengths.set(event.stream, revision + 1);
    return { ...event, revision, position: index + 1, id: `id-${String(index)}` };
  });
}

const kept = {
  id: 1,
  domain_name: "kept.com",
  expiry_date: "2027",
  use_rdp_nameservers: true,
  nameservers: ["ns1.service.example"],
  dns_records_count: 2,
};
const shownInvoice = (
  id: number,
  number: string,
  action: string,
  gross: number,
  domainId: number | null,
  delivered = true,
) => ({
  id,
  number,
  action,
  paid: true,
  delivered,
  brutto: gross,
  netto: action === "topup" ? gross : Math.round(gross / 1.19),
  duration: domainId === null ? 0 : 1,
  server_id: null,
  domain_id: domainId,
  plan_id: null,
});
const address = { type: "A", value: "192.0.2.10" };

/** Data of the providers and the API in right books. */
export const rightTestimony: Omit<Evidence, "events"> = {
  unfinishedRuns: [],
  holdings: {
    registrar: [
      {
        name: "kept.com",
        clientTransactionId: "registration-1",
        expiresAt: "2027",
        nameservers: ["ns1.service.example"],
      },
    ],
    dns: [
      {
        name: "kept.com",
        records: ["@", "www"].map((name) => ({ ...address, name, ttlSeconds: 3600, priority: null })),
      },
    ],
    compute: [],
  },
  shown: [
    {
      accountId: 7,
      balance: { balance: "38.10" },
      invoices: [
        shownInvoice(1, "2026-7-T000001", "topup", 50, null),
        shownInvoice(2, "2026-7-000001", "purchase", 11.9, 1),
        shownInvoice(3, "2026-7-000002", "purchase", 11.9, 2, false),
        shownInvoice(4, "2026-7-C000001", "refund", -11.9, 2),
      ],
      domains: [kept],
      details: [
        {
          ...kept,
          dns_records: [
            { ...address, id: 1, name: "@", ttl: 3600 },
            { ...address, id: 2, name: "www", ttl: 3600 },
          ],
        },
      ],
    },
  ],
};
