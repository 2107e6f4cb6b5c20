import type { AccountEntry } from "./accounts.audit.ts";
import { differences } from "./differences.ts";
import { list, listed, number, property, text, type Report } from "./books-event.ts";
import type { PurchaseBook } from "./purchases.ts";
import type { NameBook } from "./registrations.audit.ts";

/** Bodies of the REST API for the holder of an account. */
export interface Shown {
  readonly accountId: number;
  /** GET /billing/balance */
  readonly balance: unknown;
  /** GET /billing/invoices */
  readonly invoices: unknown;
  /** GET /domains */
  readonly domains: unknown;
  /** GET /domains/{id} of each. */
  readonly details: readonly unknown[];
}

/** Audits that the read models agree with the books in every common field. */
export function auditShown(
  shown: Shown,
  accounts: ReadonlyMap<number, AccountEntry>,
  names: NameBook,
  { deliveries }: PurchaseBook,
  report: Report,
): void {
  const account = accounts.get(shown.accountId);
  if (account === undefined) {
    report(`account ${String(shown.accountId)} is shown, but not in the books`);
    return;
  }
  const balance = text(shown.balance, "balance");
  if (balance !== euros(account.balanceCents))
    report(
      `account ${String(shown.accountId)} is shown a balance of ${balance}, it is ${euros(account.balanceCents)}`,
    );
  const isDelivered = (chargeId: string): boolean =>
    names.reservations.get(chargeId)?.end === "registered" || deliveries.has(chargeId);
  for (const finding of [
    ...invoiceDifferences(shown, account, isDelivered),
    ...domainDifferences(shown, names),
  ]) {
    report(finding);
  }
}

const invoiceFields = [
  "number",
  "action",
  "netto",
  "brutto",
  "duration",
  "paid",
  "delivered",
  "server_id",
  "domain_id",
  "plan_id",
];

function invoiceDifferences(
  { invoices, accountId }: Shown,
  { documents }: AccountEntry,
  isDelivered: (chargeId: string) => boolean,
): readonly string[] {
  return differences(
    `account ${String(accountId)}'s document`,
    new Map(
      documents.map((document) => {
        const { id, number: written, action, cause, netCents, grossCents, subject } = document;
        const { duration, serverId, domainId, planId } = subject;
        const delivered = action === "topup" || action === "refund" || isDelivered(cause);
        const amounts = [Number(euros(netCents)), Number(euros(grossCents))];
        return [
          String(id),
          [written, action, ...amounts, duration, true, delivered, serverId, domainId, planId],
        ];
      }),
    ),
    new Map(
      listed(invoices).map((row) => [
        String(number(row, "id")),
        invoiceFields.map((field) => property(row, field)),
      ]),
    ),
  );
}

function domainDifferences({ accountId, domains, details }: Shown, names: NameBook): readonly string[] {
  const own = [...names.domains.values()].filter((domain) => domain.accountId === accountId);
  const head = ["domain_name", "expiry_date", "use_rdp_nameservers", "nameservers", "dns_records_count"];
  const shownHead = (row: unknown): [string, unknown[]] => [
    String(number(row, "id")),
    head.map((field) => property(row, field)),
  ];
  const expected = own.map(
    ({ domainId, name, expiresAt, usesServiceNameservers, nameservers, records = [] }) =>
      [
        String(domainId),
        [name, expiresAt, usesServiceNameservers, nameservers, records.length],
        records.map((record) => [record.recordId, record.type, record.name, record.value, record.ttlSeconds]),
      ] as const,
  );
  return [
    ...differences(
      `account ${String(accountId)}'s domain`,
      new Map(expected.map(([id, fields]) => [id, fields])),
      new Map(listed(domains).map(shownHead)),
    ),
    ...differences(
      `account ${String(accountId)}'s domain with its records`,
      new Map(expected.map(([id, fields, records]) => [id, [fields, records]])),
      new Map(
        details.map((row) => {
          const [id, fields] = shownHead(row);
          const records = list(row, "dns_records").map((record) =>
            ["id", "type", "name", "value", "ttl"].map((field) => property(record, field)),
          );
          return [id, [fields, records]];
        }),
      ),
    ),
  ];
}

/** Cents as the API writes them. */
function euros(amountCents: bigint): string {
  const magnitude = amountCents < 0n ? -amountCents : amountCents;
  const sign = amountCents < 0n ? "-" : "";
  return `${sign}${String(magnitude / 100n)}.${String(magnitude % 100n).padStart(2, "0")}`;
}
