import { describe, expect, it } from "vitest";

import { entry, logOf, rightEntries, rightTestimony, type Entry } from "./books/right-books.fixture.ts";
import { rightPurchases } from "./books/right-purchases.fixture.ts";
import { auditBooks, type Holdings, type Shown } from "./books.ts";

/** Tests the audit of renewals and servers by planted faults, as for registrations. */

const { shown: _shown, holdings, ...testimony } = rightTestimony;
const [domain] = holdings.registrar;
if (domain === undefined) throw new RangeError("no testimony");
const compute = [{ name: "server-5" }, { name: "server-8" }];
const renewed = { ...holdings, compute, registrar: [{ ...domain, expiresAt: "2029" }] };

const findingsAfter = (
  change: (entries: Entry[]) => void = () => undefined,
  shown: readonly Shown[] = [],
  held: Partial<Holdings> = {},
): readonly string[] => {
  const entries = [...rightEntries, ...rightPurchases];
  change(entries);
  return auditBooks({ ...testimony, events: logOf(entries), holdings: { ...renewed, ...held }, shown });
};

/** Finds the event of a type that says this somewhere in its data or its stream. */
function indexOf(entries: readonly Entry[], type: string, about: string): number {
  const index = entries.findIndex(
    (event) => event.type === type && JSON.stringify([event.stream, event.data]).includes(`"${about}"`),
  );
  if (index < 0) throw new RangeError(`no ${type} about ${about}`);
  return index;
}

const altered =
  (type: string, about: string, data: Entry["data"]) =>
  (entries: Entry[]): void => {
    const index = indexOf(entries, type, about);
    const found = entries[index];
    if (found !== undefined) entries[index] = { ...found, data: { ...found.data, ...data } };
  };

const removed =
  (type: string, about: string, count = 1) =>
  (entries: Entry[]): void => {
    entries.splice(indexOf(entries, type, about), count);
  };

const renamed =
  (type: string, about: string, to: string) =>
  (entries: Entry[]): void => {
    const index = indexOf(entries, type, about);
    const found = entries[index];
    if (found !== undefined) entries[index] = { ...found, type: to };
  };

const repeated =
  (type: string, about: string) =>
  (entries: Entry[]): void => {
    const found = entries[indexOf(entries, type, about)];
    if (found !== undefined) entries.push(found);
  };

it("finds nothing in right books", () => {
  expect(findingsAfter()).toEqual([]);
});

describe("an error in a purchase", () => {
  it.each<[string, (entries: Entry[]) => void, string]>([
    [
      "a renewal of a domain that was paid and not made",
      removed("DomainRenewed", "renewal-1"),
      "renewal-1 is paid, and neither delivered nor refunded",
    ],
    [
      "a server that was paid and not set up",
      removed("ServerProvisioned", "serverorder-1"),
      "serverorder-1 is paid, and neither delivered nor refunded",
    ],
    [
      "a renewal of a server that was paid and not made",
      removed("ServerRenewed", "serverrenewal-1"),
      "serverrenewal-1 is paid, and neither delivered nor refunded",
    ],
    [
      "a refund that is missing",
      removed("ChargeRefunded", "serverorder-2", 2),
      "serverorder-2 is paid, and neither delivered nor refunded",
    ],
    [
      "a refund without correction",
      removed("CorrectionIssued", "serverorder-2"),
      "(ChargeRefunded) is not followed by its document",
    ],
    [
      "a delivery of what went back",
      altered("ServerRenewed", "serverrenewal-1", { chargeId: "serverrenewal-2" }),
      "serverrenewal-2 was refunded, and delivered by server-5@2",
    ],
    [
      "a refund by staff of more than was charged",
      altered("RefundGranted", "serverorder-1", { grossCents: "1000" }),
      "serverorder-1 was refunded with 1000 cents, charged with 999",
    ],
    [
      "a refund by staff without correction",
      removed("CorrectionIssued", "2026-7-C000004"),
      "ends without the document of its last movement",
    ],
    [
      "another VAT in a refund by staff",
      altered("CorrectionIssued", "2026-7-C000004", { netCents: "-279", vatCents: "-54" }),
      "2026-7-C000004 does not mirror",
    ],
    ["a delivery twice", repeated("ServerRenewed", "serverrenewal-1"), "serverrenewal-1 was delivered twice"],
    [
      "a delivery that nobody paid",
      altered("ServerProvisioned", "serverorder-1", { chargeId: "serverorder-9" }),
      "delivers what was never paid (serverorder-9)",
    ],
    [
      "another invoice",
      altered("ServerProvisioned", "serverorder-1", { invoiceId: 8 }),
      "names another account, invoice or amount than serverorder-1 has",
    ],
    [
      "another amount",
      altered("DomainRenewed", "renewal-1", { grossCents: "2400" }),
      "names another account, invoice or amount than renewal-1 has",
    ],
    [
      "another account",
      altered("ServerRenewed", "serverrenewal-1", { accountId: 8 }),
      "names another account, invoice or amount than serverrenewal-1 has",
    ],
    [
      "a charge nobody ordered",
      removed("ServerRenewalStarted", "serverrenewal-2"),
      "serverrenewal-2 was charged without a reservation",
    ],
    ["an order twice", repeated("ServerOrderStarted", "serverorder-1"), "serverorder-1 was ordered twice"],
    [
      "somebody else's order",
      altered("ServerOrderStarted", "serverorder-1", { accountId: 8 }),
      "serverorder-1 was charged to account 7",
    ],
    [
      "a price without the discount",
      altered("ServerRenewalStarted", "serverrenewal-1", { months: 2 }),
      "serverrenewal-1 was charged with 2847 cents, not 1998",
    ],
    [
      "a price without the surcharge",
      altered("ServerRenewalStarted", "serverrenewal-1", { surchargePercent: 10 }),
      "serverrenewal-1 was charged with 2847 cents, not 3132",
    ],
    [
      "another price of a domain",
      altered("DomainRenewalStarted", "renewal-1", { yearNetCents: "1300" }),
      "renewal-1 was charged with 2856 cents, not 2600 or 3094",
    ],
    [
      "a gift that was charged",
      altered("ServerOrderStarted", "serverorder-1", { grossCents: null }),
      "serverorder-1 was charged with 999 cents, not",
    ],
    [
      "an invoice for another server",
      altered("InvoiceIssued", "serverorder-1", { serverId: 6 }),
      "serverorder-1 has an invoice for",
    ],
    [
      "an invoice for other months",
      altered("InvoiceIssued", "serverrenewal-1", { duration: 4 }),
      "serverrenewal-1 has an invoice for",
    ],
    [
      "an invoice of another action",
      altered("InvoiceIssued", "serverrenewal-1", { action: "purchase" }),
      "serverrenewal-1 has an invoice for",
    ],
    [
      "a correction for another server",
      altered("CorrectionIssued", "serverorder-2", { serverId: 5 }),
      "2026-7-C000002 does not mirror",
    ],
    [
      "VAT on top of a gross price",
      altered("InvoiceIssued", "serverorder-1", { pricesIncludeVat: false }),
      "the sums of 2026-7-000004 do not fit",
    ],
    [
      "VAT rounded down",
      altered("InvoiceIssued", "serverorder-1", { vatCents: "159", netCents: "840" }),
      "the sums of 2026-7-000004 do not fit",
    ],
    [
      "a refund under a registration's name",
      renamed("ChargeRefunded", "serverorder-2", "RegistrationRefunded"),
      "serverorder-2 is no registration, and was refunded as one",
    ],
    [
      "a registration refunded as another charge",
      renamed("RegistrationRefunded", "registration-2", "ChargeRefunded"),
      "registration-2 is a registration, and was refunded as another charge",
    ],
  ])("%s is found", (_case, change, finding) => {
    expect(findingsAfter(change)).toContainEqual(expect.stringContaining(finding));
  });
});

describe("an error in a server, a renewal or a run", () => {
  it.each<[string, (entries: Entry[]) => void, string]>([
    [
      "a gap between two expiry dates of a server",
      altered("ServerRenewed", "serverrenewal-1", { previousExpiresAt: "2026-03" }),
      "renews from 2026-03, it expires 2026-02",
    ],
    [
      "a gap between two expiry dates of a domain",
      altered("DomainRenewed", "renewal-1", { previousExpiresAt: "2028" }),
      "domain-kept.com renews from 2028, it expires 2027",
    ],
    [
      "a server ordered twice",
      repeated("ServerOrdered", "serverorder-1"),
      "orders a server that is provisioned",
    ],
    [
      "a server set up after its order had failed",
      (entries) => {
        const found = entries[indexOf(entries, "ServerProvisioned", "serverorder-1")];
        if (found !== undefined) entries.push({ ...found, stream: "server-6" });
      },
      "ends the order of a server that is failed",
    ],
    [
      "an order that never ended",
      removed("ServerOrderFailed", "server-6"),
      "the order of server-6 has not ended",
    ],
    [
      "a renewal that never ended",
      (entries) => {
        entries.push({
          stream: "domain-kept.com",
          type: "DomainRenewalStarted",
          data: { renewalId: "renewal-2", accountId: 7, domainId: 1, years: 1, yearNetCents: "1200" },
        });
      },
      "the renewal renewal-2 has not ended",
    ],
    [
      "a run that never ended",
      removed("ServerRenewalCompleted", "serverrenewal-2"),
      "the run serverrenewal-2 stands at ServerRenewalStarted",
    ],
    [
      "a run that ended twice",
      repeated("ServerOrderCompleted", "serverorder-1"),
      "the run serverorder-1 stands at ServerOrderCompleted",
    ],
    [
      "a run that says otherwise",
      altered("ServerRenewalCompleted", "serverrenewal-1", { outcome: "refunded" }),
      "the run serverrenewal-1 ended as refunded, but serverrenewal-1 is delivered",
    ],
    [
      "a run that says that it delivered",
      altered("ServerOrderCompleted", "serverorder-2", { outcome: "provisioned" }),
      "the run serverorder-2 ended as provisioned, but serverorder-2 is not delivered",
    ],
    [
      "a renewal's run that says otherwise",
      altered("RenewalCompleted", "renewal-1", { outcome: "failed" }),
      "the run renewal-1 ended as failed, but renewal-1 is delivered",
    ],
  ])("%s is found", (_case, change, finding) => {
    expect(findingsAfter(change)).toContainEqual(expect.stringContaining(finding));
  });
});

describe("an error in what is shown", () => {
  const [account] = rightTestimony.shown;
  if (account === undefined) throw new RangeError("no testimony");
  const serverInvoice = {
    id: 8,
    number: "2026-7-000005",
    action: "renewal",
    netto: 23.92,
    brutto: 28.47,
    duration: 3,
    paid: true,
    delivered: true,
    server_id: 5,
    domain_id: null,
    plan_id: 2,
  };
  const findingsWith = (change: object): readonly string[] =>
    findingsAfter(undefined, [{ ...account, invoices: [{ ...serverInvoice, ...change }] }]).filter(
      (finding) => finding.includes("document 8 "),
    );

  it("is none if the invoice is right", () => {
    expect(findingsWith({})).toEqual([]);
  });

  it.each([{ delivered: false }, { server_id: null }, { plan_id: 3 }, { domain_id: 5 }, { duration: 1 }])(
    "%o is found",
    (change) => {
      expect(findingsWith(change)).toHaveLength(1);
    },
  );
});

describe("an error at the nodes", () => {
  it.each<[string, Holdings["compute"], string]>([
    ["a server that is paid and not there", [{ name: "server-8" }], "server-5"],
    ["a gift that is not there", [{ name: "server-5" }], "server-8"],
    ["a server of an order that was paid back", [...compute, { name: "server-6" }], "server-6"],
  ])("%s is found", (_case, nodes, server) => {
    expect(findingsAfter(undefined, [], { compute: nodes })).toEqual([expect.stringContaining(server)]);
  });

  const destroyed =
    (...servers: readonly string[]) =>
    (entries: Entry[]): void => {
      entries.push(...servers.map((server) => entry(server, "ServerTerminated", { accountId: 7 })));
    };

  it("is none if a destroyed server is absent", () => {
    expect(findingsAfter(destroyed("server-8"), [], { compute: [{ name: "server-5" }] })).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ["a server that was destroyed and is there", ["server-8"], "at the nodes, server-8"],
    ["one that was never set up", ["server-6"], "destroys the machine of a server that is failed"],
  ])("%s is found", (_case, servers, finding) => {
    expect(findingsAfter(destroyed(...servers))).toEqual([expect.stringContaining(finding)]);
  });

  it.each<[string, (entries: Entry[]) => void, string]>([
    [
      "a renewal of what was destroyed",
      (entries) => {
        const index = indexOf(entries, "ServerRenewed", "serverrenewal-1");
        entries.splice(index, 0, entry("server-5", "ServerTerminated", { accountId: 7 }));
      },
      "renews a server that is terminated",
    ],
    [
      "a second end",
      destroyed("server-5", "server-5"),
      "destroys the machine of a server that is terminated",
    ],
  ])("%s is found", (_case, change, finding) => {
    expect(findingsAfter(change, [], { compute: [{ name: "server-8" }] })).toEqual([
      expect.stringContaining(finding),
    ]);
  });
});
