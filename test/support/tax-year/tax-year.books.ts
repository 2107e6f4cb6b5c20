import { itemsOf, objectOf } from "../matchers.ts";
import type { Customer } from "../staff-client.ts";
import type { Year } from "./tax-year.play.ts";
import type { TableRow } from "./tax-year.table.ts";

/** A document as its customer downloads it. */
export interface Downloaded {
  readonly row: Omit<TableRow, "contra" | "state">;
  readonly pdf: Uint8Array;
  /** Undefined for receipts. */
  readonly xml: string | undefined;
}

/** Downloads all documents of a customer, in the order of their issue. */
export async function documentsOf(year: Year, name: string): Promise<readonly Downloaded[]> {
  const customer = year.customers.get(name);
  if (customer === undefined) throw new Error(`there is no customer ${name}`);
  const documents: Downloaded[] = [];
  for (const { id } of itemsOf((await customer.get("/billing/invoices")).body)) {
    const path = `/billing/invoices/${String(id)}`;
    const shown = objectOf((await customer.get(path)).body);
    const pdf = await bytesOf(year, customer, `${path}.pdf`);
    const xml =
      shown.action === "topup"
        ? undefined
        : Buffer.from(await bytesOf(year, customer, `${path}.xml`)).toString();
    const issued =
      xml === undefined
        ? undefined
        : /IssueDateTime>\s*<udt:DateTimeString[^>]*>(\d{4})(\d\d)(\d\d)</u.exec(xml);
    documents.push({
      row: {
        customer: name,
        number: String(shown.number),
        date: issued?.slice(1).join("-") ?? String(shown.created_at).slice(0, 10),
        sold: xml === undefined ? "payment" : shown.domain_id === null ? "server" : "domain",
        netCents: cents(shown.netto),
        vatCents: cents(shown.vat),
        ratePercent: Number(shown.vat_rate),
        category: (xml === undefined ? undefined : /<ram:CategoryCode>([A-Z]+)</u.exec(xml)?.[1]) ?? "-",
      },
      pdf,
      xml,
    });
  }
  return documents;
}

function cents(euros: unknown): number {
  return Math.round(Number(euros) * 100);
}

async function bytesOf({ instance }: Year, { apiKey }: Customer, path: string): Promise<Uint8Array> {
  const response = await fetch(`${instance.baseUrl}${path}`, { headers: { authorization: apiKey } });
  if (response.status !== 200) throw new Error(`GET ${path} answers ${String(response.status)}`);
  return response.bytes();
}
