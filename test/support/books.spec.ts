import { describe, expect, it } from "vitest";

import { logOf, record, rightEntries, rightTestimony, type Entry } from "./books/right-books.fixture.ts";
import { auditBooks, type Evidence, type Event } from "./books.ts";

/** Tests the audit by planted faults, because an audit without findings proves nothing by itself. */

const findingsIn = (changed: Partial<Evidence>): readonly string[] =>
  auditBooks({ events: logOf(rightEntries), ...rightTestimony, ...changed });

const findingsAfter = (change: (entries: Entry[]) => void): readonly string[] => {
  const entries = [...rightEntries];
  change(entries);
  return findingsIn({ events: logOf(entries) });
};

const isOf =
  (type: string, stream = "") =>
  (event: { readonly type: string; readonly stream: string }): boolean =>
    event.type === type && event.stream.includes(stream);

/** Changes the data of the last event of the type. */
const altered = (type: string, data: Entry["data"]) => (entries: Entry[]) => {
  const index = entries.findLastIndex(isOf(type));
  entries[index] = { ...entryAt(entries, index), data: { ...entryAt(entries, index).data, ...data } };
};

const removed =
  (type: string, stream = "") =>
  (entries: Entry[]) => {
    entries.splice(entries.findLastIndex(isOf(type, stream)), 1);
  };

/** Repeats a movement of the account and its document, with a document number of its own. */
const repeated =
  (type: string, numbering: Entry["data"], balanceAfterCents: string) => (entries: Entry[]) => {
    const index = entries.findLastIndex(isOf(type));
    const [movement, document] = [entryAt(entries, index), entryAt(entries, index + 1)];
    entries.push(
      { ...movement, data: { ...movement.data, balanceAfterCents } },
      { ...document, data: { ...document.data, ...numbering } },
    );
  };

/** Adds an event about a record of kept.com. */
const recordEvent = (type: string, data: Entry["data"]) => (entries: Entry[]) => {
  entries.push({ stream: "domain-kept.com", type, data: { domainId: 1, changeId: "c-1", ...data } });
};

function entryAt(entries: readonly Entry[], index: number): Entry {
  const found = entries[index];
  if (found === undefined) throw new RangeError(`no entry ${String(index)}`);
  return found;
}

it("finds nothing in right books", () => {
  expect(findingsIn({})).toEqual([]);
});

it("finds nothing wrong with a zone that stays when the customer goes to nameservers of their own", () => {
  const findings = findingsAfter((entries) => {
    entries.push({
      stream: "domain-kept.com",
      type: "NameserversChanged",
      data: { domainId: 1, usesServiceNameservers: false, nameservers: ["ns1.own.example"] },
    });
  });
  expect(findings.filter((finding) => finding.includes("zone"))).toEqual([]);
});

describe("an error in the events", () => {
  it.each<[string, (entries: Entry[]) => void, string]>([
    ["a wrong balance", altered("BalanceCharged", { balanceAfterCents: "2621" }), "tells a balance of 2621"],
    ["a balance below zero", altered("BalanceCredited", { amountCents: "1500" }), "leaves a balance of -"],
    ["a charge without invoice", removed("InvoiceIssued"), "is not followed by its document"],
    ["a refund without correction", removed("CorrectionIssued"), "without the document of its last movement"],
    ["an invoice over another sum", altered("InvoiceIssued", { grossCents: "1191" }), "over 1191 cents"],
    [
      "a wrong tax",
      altered("InvoiceIssued", { vatCents: "191", netCents: "999" }),
      "the sums of 2026-7-000002",
    ],
    [
      "a second charge",
      repeated("BalanceCharged", { invoiceId: 9, number: "2026-7-000003" }, "2620"),
      "registration-2 was charged twice",
    ],
    [
      "a second refund",
      repeated("RegistrationRefunded", { correctionId: 9, number: "2026-7-C000002" }, "5000"),
      "registration-2 was refunded twice",
    ],
    [
      "a gap in the numbers",
      altered("InvoiceIssued", { number: "2026-7-000003" }),
      "it should be 2026-7-000002",
    ],
    ["an id used twice", altered("InvoiceIssued", { invoiceId: 2 }), "the document id 2 is used twice"],
    [
      "a correction of another invoice",
      altered("CorrectionIssued", { correctsInvoiceId: 2 }),
      "does not mirror",
    ],
    [
      "a paid name that was released",
      (entries) => entries.splice(entries.findIndex(isOf("RegistrationRefunded")), 2),
      "back.com is paid (registration-2) and not registered",
    ],
    [
      "a domain whose charge went back",
      (entries) => {
        for (const type of ["RegistrationRefunded", "CorrectionIssued"])
          altered(type, { chargeId: "registration-1" })(entries);
      },
      "kept.com is registered (registration-1) and not paid",
    ],
    [
      "a charge nobody ordered",
      removed("RegistrationReserved"),
      "registration-2 was charged without a reservation",
    ],
    ["another price", altered("RegistrationReserved", { yearNetCents: "900" }), "with 1190 cents at 900 net"],
    [
      "a name that never settled",
      removed("RegistrationReleased"),
      "registration-2 of back.com has not ended",
    ],
    [
      "a run that never ended",
      removed("RegistrationCompleted"),
      "the run registration-2 of back.com stands at",
    ],
    [
      "a run that says otherwise",
      altered("RegistrationCompleted", { outcome: "delivered" }),
      "ended as delivered",
    ],
    ["a domain without a zone", removed("ZoneCreated"), "kept.com is delivered with no zone"],
    [
      "a record that nobody serves",
      recordEvent("DnsRecordAdded", { record: record(9, "mail") }),
      "at the DNS server, kept.com",
    ],
    [
      "a record that says something else",
      recordEvent("DnsRecordUpdated", { record: { ...record(2, "www"), value: "192.0.2.99" } }),
      "at the DNS server, kept.com",
    ],
    [
      "a deleted record that is served",
      recordEvent("DnsRecordDeleted", { recordId: 2 }),
      "at the DNS server, kept.com",
    ],
    [
      "a record added twice",
      recordEvent("DnsRecordAdded", { record: record(2, "www") }),
      "tells DnsRecordAdded of the record 2, which is there",
    ],
    [
      "a record deleted that never was",
      recordEvent("DnsRecordDeleted", { recordId: 9 }),
      "tells DnsRecordDeleted of the record 9, which is not there",
    ],
    ["two owners", altered("RegistrationReserved", { name: "kept.com" }), "holds a reservation of kept.com"],
  ])("%s is found", (_case, change, finding) => {
    expect(findingsAfter(change)).toContainEqual(expect.stringContaining(finding));
  });

  it("a name reserved twice at once is found", () => {
    const change = (entries: Entry[]): void => {
      const reserved = entryAt(entries, entries.findLastIndex(isOf("RegistrationReserved")));
      const data = { ...reserved.data, registrationId: "registration-3" };
      entries.splice(entries.indexOf(reserved) + 1, 0, { ...reserved, data });
    };
    expect(findingsAfter(change)).toContainEqual("back.com was reserved while registration-2 had it");
  });

  it.each<[string, (events: Event[]) => void, string]>([
    ["a hole in a stream", (events) => events.splice(1, 1), "account-7 has revision 2"],
    ["an event stored twice", (events) => events.push(...events.slice(-1)), "stored twice"],
    ["a log out of order", (events) => events.reverse(), "follows"],
  ])("%s is found", (_case, change, finding) => {
    const events = [...logOf(rightEntries)];
    change(events);
    expect(findingsIn({ events })).toContainEqual(expect.stringContaining(finding));
  });
});

describe("an error at a party or in what is shown", () => {
  const { holdings, shown } = rightTestimony;
  const [held] = holdings.registrar;
  const [zone] = holdings.dns;
  const [account] = shown;
  if (held === undefined || zone === undefined || account === undefined) throw new RangeError("no testimony");

  it.each<[string, Partial<Evidence>, string]>([
    [
      "a name the registrar lost",
      { holdings: { ...holdings, registrar: [] } },
      "at the registrar, kept.com is missing",
    ],
    [
      "a name too many at the registrar",
      { holdings: { ...holdings, registrar: [held, { ...held, name: "back.com" }] } },
      "at the registrar, back.com is there, but not in the books",
    ],
    [
      "another delegation",
      { holdings: { ...holdings, registrar: [{ ...held, nameservers: ["ns1.other.example"] }] } },
      "at the registrar, kept.com is",
    ],
    [
      "a zone that is missing",
      { holdings: { ...holdings, dns: [] } },
      "at the DNS server, kept.com is missing",
    ],
    [
      "a record that is missing",
      { holdings: { ...holdings, dns: [{ ...zone, records: zone.records.slice(1) }] } },
      "at the DNS server, kept.com is",
    ],
    ["a run that staff sees", { unfinishedRuns: ["registration-9"] }, "registration-9 as unfinished"],
    [
      "another balance",
      { shown: [{ ...account, balance: { balance: "38.09" } }] },
      "is shown a balance of 38.09, it is 38.10",
    ],
    ["an invoice not shown", { shown: [{ ...account, invoices: [] }] }, "document 3 is missing"],
    ["a domain not shown", { shown: [{ ...account, domains: [] }] }, "domain 1 is missing"],
    ["records not shown", { shown: [{ ...account, details: [] }] }, "domain with its records 1 is missing"],
    ["an account nobody opened", { shown: [{ ...account, accountId: 8 }] }, "account 8 is shown, but not in"],
  ])("%s is found", (_case, changed, finding) => {
    expect(findingsIn(changed)).toContainEqual(expect.stringContaining(finding));
  });
});
