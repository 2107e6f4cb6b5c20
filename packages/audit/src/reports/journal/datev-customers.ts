import { z } from "zod";

import { datevCustomerColumns } from "./datev-columns.ts";
import { datevCustomerAccount, datevHead, datevLine, quoted, type DatevSettings } from "./datev-format.ts";
import { bareType, parseMembers, textMember, type Events } from "../event.ts";

/** Event types that the customers' file needs, without version. */
export const datevCustomerTypes: readonly string[] = [
  "AccountOpened",
  "ProfileChanged",
  "PersonalDataErased",
  "InvoiceIssued",
  "CorrectionIssued",
];

/** The part of a profile that DATEV knows. Read without the event's schema, which refuses erased and sealed texts. */
const profileEvent = z.object({
  kind: z.enum(["person", "organisation"]).nullable().catch(null),
  name: z.string().catch(""),
  organisation: z.string().catch(""),
  street: z.string().catch(""),
  city: z.string().catch(""),
  postalCode: z.string().catch(""),
  country: z.string().catch(""),
  email: z.string().catch(""),
  phone: z.string().catch(""),
  vatId: z.string().catch(""),
});

/** The buyer on a document (`buyerText`); undefined if the text is empty, sealed or erased. */
function buyerOf(text: string | undefined): Customer | undefined {
  if (text?.startsWith("{") !== true) return undefined;
  const profile = profileEvent.safeParse(JSON.parse(text)).data;
  return profile === undefined ? undefined : { name: profile.name, profile };
}

interface Customer {
  readonly name: string;
  readonly profile: z.infer<typeof profileEvent> | undefined;
}

/**
 * Writes customers as "Debitoren" (category 16), each with its last profile, in the order of their accounts. An erased customer is
 * written as the last document names it, as long as the law keeps that document.
 */
export async function* writeDatevCustomers(events: Events, settings: DatevSettings): AsyncGenerator<string> {
  const customers = new Map<number, Customer>();
  const buyers = new Map<number, Customer>();
  const erased = new Set<number>();
  for await (const event of events) {
    const [, id] = /^account-([1-9]\d{0,14})$/u.exec(event.stream) ?? [];
    if (id === undefined || event.leftOut !== undefined) continue;
    const members = parseMembers(event.data);
    const known = customers.get(Number(id)) ?? { name: "", profile: undefined };
    const type = bareType(event);
    if (type === "AccountOpened")
      customers.set(Number(id), { ...known, name: textMember(members, "name") ?? "" });
    else if (type === "ProfileChanged")
      customers.set(Number(id), { ...known, profile: profileEvent.parse(members) });
    else if (type === "PersonalDataErased") {
      customers.set(Number(id), { name: "", profile: undefined });
      erased.add(Number(id));
    } else {
      const buyer = buyerOf(textMember(members, "buyer"));
      if (buyer !== undefined) buyers.set(Number(id), buyer);
    }
  }
  yield datevHead("customers", datevCustomerColumns, settings);
  const inOrder = [...customers].sort(([left], [right]) => left - right);
  for (const [accountId, customer] of inOrder)
    yield customerLine(
      accountId,
      (erased.has(accountId) ? buyers.get(accountId) : undefined) ?? customer,
      settings,
    );
}

/** Maximum characters of a person's last name; longer names go into the column without a type. */
const longestPerson = 30;

function customerLine(accountId: number, { name, profile }: Customer, settings: DatevSettings): string {
  const cells = new Map<string, string>([
    ["Konto", datevCustomerAccount(accountId, settings)],
    ["Kundennummer", quoted(String(accountId), 15)],
  ]);
  const organisation = profile?.kind === "organisation" ? profile.organisation : "";
  const person = profile?.kind === "person" ? profile.name : "";
  const plain = [organisation, person, profile?.name ?? "", name].find((text) => text.trim() !== "") ?? "";
  const shown = plain === "" ? `Account ${String(accountId)}` : plain;
  if (organisation !== "") {
    cells.set("Name (Adressattyp Unternehmen)", quoted(shown, 50));
    cells.set("Adressattyp", '"2"');
  } else if (person !== "" && person.length <= longestPerson) {
    cells.set("Name (Adressattyp natürl. Person)", quoted(shown, longestPerson));
    cells.set("Adressattyp", '"1"');
  } else {
    cells.set("Name (Adressattyp keine Angabe)", quoted(shown, 50));
    cells.set("Adressattyp", '"0"');
  }
  cells.set("Kurzbezeichnung", quoted(shown, 15));
  if (profile !== undefined) {
    const { street, postalCode, city, country, email, phone, vatId } = profile;
    if (vatId !== "") {
      cells.set("EU-Land", quoted(vatId.slice(0, 2).replace("GR", "EL"), 2));
      cells.set("EU-UStID", quoted(vatId.slice(2), 13));
    }
    if (street !== "") cells.set("Adressart", '"STR"');
    const texts = [
      ["Straße", street, 36],
      ["Postleitzahl", postalCode, 10],
      ["Ort", city, 30],
      ["Land", country, 2],
      // A leading plus would be read as a formula.
      ["Telefon", phone.replace(/^\+/u, "00"), 60],
      ["E-Mail", email, 60],
    ] as const;
    for (const [column, text, limit] of texts) if (text !== "") cells.set(column, quoted(text, limit));
  }
  return datevLine(datevCustomerColumns, cells);
}
