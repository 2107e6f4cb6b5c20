import { entry, sums, type Entry } from "./right-books.fixture.ts";

/**
 * Account 7 besides its registrations: the domain 1 is renewed, the server 5 ordered and renewed by three months, the server 6
 * refused by its node, a renewal of the server 5 returned; the server 8 is a gift.
 */

const owner = { accountId: 7 };

const charged = (chargeId: string, invoiceId: number, grossCents: string, balanceAfterCents: string): Entry =>
  entry("account-7", "BalanceCharged", { chargeId, invoiceId, grossCents, balanceAfterCents });

const serverInvoice = (
  head: { invoiceId: number; number: string; cause: string; action: string },
  [net, vat, gross]: readonly [string, string, string],
  subject: { duration: number; serverId: number },
): Entry =>
  entry("account-7", "InvoiceIssued", {
    ...head,
    pricesIncludeVat: true,
    lines: [{ description: "a server", quantity: 1, unitCents: gross, amountCents: gross }],
    ...sums(net, vat, gross),
    ...subject,
    domainId: null,
    planId: 2,
  });

const returned = (
  chargeId: string,
  [correctionId, count]: readonly [number, number],
  [invoiceId, number]: readonly [number, string],
  [net, vat, gross]: readonly [string, string, string],
  subject: { duration: number; serverId: number },
  balanceAfterCents: string,
  type = "ChargeRefunded",
): readonly Entry[] => [
  entry("account-7", type, { chargeId, correctionId, grossCents: gross, balanceAfterCents }),
  entry("account-7", "CorrectionIssued", {
    correctionId,
    number: `2026-7-C00000${String(count)}`,
    chargeId,
    correctsInvoiceId: invoiceId,
    correctsNumber: number,
    ...sums(`-${net}`, `-${vat}`, `-${gross}`),
    ...subject,
    domainId: null,
    planId: 2,
  }),
];

const orderStarted = (orderId: string, serverId: number, grossCents: string | null): Entry =>
  entry(orderId, "ServerOrderStarted", {
    ...owner,
    orderId,
    serverId,
    planId: 2,
    months: 1,
    monthGrossCents: "999",
    grossCents,
  });

const renewalStarted = (renewalId: string, months: number, grossCents: string): Entry =>
  entry(renewalId, "ServerRenewalStarted", {
    ...owner,
    renewalId,
    serverId: 5,
    planId: 2,
    months,
    monthGrossCents: "999",
    discountPercent: 5,
    surchargePercent: 0,
    grossCents,
  });

const provisioned = (serverId: number, orderId: string, paid: object): Entry =>
  entry(`server-${String(serverId)}`, "ServerProvisioned", {
    ...owner,
    ...paid,
    serverId,
    orderId,
    planId: 2,
    expiresAt: "2026-02",
  });

/** To be appended to `rightEntries`, which leave a balance of 38.10 and use the documents 1 to 4. */
export const rightPurchases: readonly Entry[] = [
  entry("account-7", "BalanceCredited", { reference: "S", amountCents: "10000", balanceAfterCents: "13810" }),
  entry("account-7", "InvoiceIssued", {
    invoiceId: 5,
    number: "2026-7-T000002",
    action: "topup",
    cause: "S",
    pricesIncludeVat: false,
    lines: [{ description: "Balance top-up", quantity: 1, unitCents: "10000", amountCents: "10000" }],
    ...sums("10000", "0", "10000"),
    duration: 0,
    domainId: null,
    serverId: null,
    planId: null,
  }),

  entry("domain-kept.com", "DomainRenewalStarted", {
    ...owner,
    renewalId: "renewal-1",
    domainId: 1,
    name: "kept.com",
    years: 2,
    yearNetCents: "1200",
  }),
  entry("renewal-1", "RenewalRunStarted", { renewalId: "renewal-1" }),
  charged("renewal-1", 6, "2856", "10954"),
  entry("account-7", "InvoiceIssued", {
    invoiceId: 6,
    number: "2026-7-000003",
    action: "renewal",
    cause: "renewal-1",
    pricesIncludeVat: false,
    lines: [{ description: "Renewal", quantity: 2, unitCents: "1200", amountCents: "2400" }],
    ...sums("2400", "456", "2856"),
    duration: 2,
    domainId: 1,
    serverId: null,
    planId: null,
  }),
  entry("domain-kept.com", "DomainRenewed", {
    ...owner,
    renewalId: "renewal-1",
    domainId: 1,
    chargeId: "renewal-1",
    invoiceId: 6,
    grossCents: "2856",
    previousExpiresAt: "2027",
    expiresAt: "2029",
  }),
  entry("renewal-1", "RenewalCompleted", { outcome: "renewed" }),

  orderStarted("serverorder-1", 5, "999"),
  entry("server-5", "ServerOrdered", { ...owner, serverId: 5, orderId: "serverorder-1" }),
  charged("serverorder-1", 7, "999", "9955"),
  serverInvoice(
    { invoiceId: 7, number: "2026-7-000004", cause: "serverorder-1", action: "purchase" },
    ["839", "160", "999"],
    { duration: 1, serverId: 5 },
  ),
  provisioned(5, "serverorder-1", { chargeId: "serverorder-1", invoiceId: 7 }),
  entry("serverorder-1", "ServerOrderCompleted", { outcome: "provisioned" }),

  // 9.99 × 3 × 0.95 = 28.4715
  renewalStarted("serverrenewal-1", 3, "2847"),
  charged("serverrenewal-1", 8, "2847", "7108"),
  serverInvoice(
    { invoiceId: 8, number: "2026-7-000005", cause: "serverrenewal-1", action: "renewal" },
    ["2392", "455", "2847"],
    { duration: 3, serverId: 5 },
  ),
  entry("server-5", "ServerRenewed", {
    ...owner,
    renewalId: "serverrenewal-1",
    serverId: 5,
    chargeId: "serverrenewal-1",
    invoiceId: 8,
    grossCents: "2847",
    previousExpiresAt: "2026-02",
    expiresAt: "2026-05",
  }),
  entry("serverrenewal-1", "ServerRenewalCompleted", { outcome: "renewed" }),

  orderStarted("serverorder-2", 6, "999"),
  entry("server-6", "ServerOrdered", { ...owner, serverId: 6, orderId: "serverorder-2" }),
  charged("serverorder-2", 9, "999", "6109"),
  serverInvoice(
    { invoiceId: 9, number: "2026-7-000006", cause: "serverorder-2", action: "purchase" },
    ["839", "160", "999"],
    { duration: 1, serverId: 6 },
  ),
  entry("server-6", "ServerOrderFailed", { ...owner, serverId: 6, orderId: "serverorder-2" }),
  ...returned(
    "serverorder-2",
    [10, 2],
    [9, "2026-7-000006"],
    ["839", "160", "999"],
    { duration: 1, serverId: 6 },
    "7108",
  ),
  entry("serverorder-2", "ServerOrderCompleted", { outcome: "failed" }),

  orderStarted("serverorder-3", 8, null),
  entry("server-8", "ServerOrdered", { ...owner, serverId: 8, orderId: "serverorder-3" }),
  provisioned(8, "serverorder-3", { chargeId: null, invoiceId: null }),
  entry("serverorder-3", "ServerOrderCompleted", { outcome: "provisioned" }),

  // 9.99 once: one month has no discount.
  renewalStarted("serverrenewal-2", 1, "999"),
  charged("serverrenewal-2", 11, "999", "6109"),
  serverInvoice(
    { invoiceId: 11, number: "2026-7-000007", cause: "serverrenewal-2", action: "renewal" },
    ["839", "160", "999"],
    { duration: 1, serverId: 5 },
  ),
  ...returned(
    "serverrenewal-2",
    [12, 3],
    [11, "2026-7-000007"],
    ["839", "160", "999"],
    { duration: 1, serverId: 5 },
    "7108",
  ),
  entry("serverrenewal-2", "ServerRenewalCompleted", { outcome: "refunded" }),

  // Staff return 3.33 of the 9.99 that the server 5 was ordered for: a third of its VAT of 1.60.
  ...returned(
    "serverorder-1",
    [13, 4],
    [7, "2026-7-000004"],
    ["280", "53", "333"],
    { duration: 1, serverId: 5 },
    "7441",
    "RefundGranted",
  ),
];
