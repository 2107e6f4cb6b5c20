import { addYears } from "@hostledger/core";

import type { DomainContact } from "../../sandbox/registry-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import type { SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { orderIdOf, type Answer, type CommandContext, type ObjectCommand } from "./command.ts";
import { delegationIn } from "./delegation.ts";
import { isAvailable } from "./domain-questions.ts";
import { feeTaken } from "./fees.ts";
import { tellsExpiry } from "./labels.ts";
import { all, atMost, authInfoIn, dnsName, identifier, optional, required, textIn } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";
import { dsDataOfCreate } from "./sec-dns.ts";

const { domain: ns } = namespaces;
const mostContacts = 10;

/** Registers a domain (RFC 5731 §3.2.1). @throws EppRefusal */
export function createDomain(context: CommandContext, command: ObjectCommand): Answer {
  const { registry, registrar, atMs } = context;
  const { object } = command;
  const name = dnsName(required(object, "name"));
  const years = yearsIn(object);
  const authInfo = authInfoIn(object);
  const registrant = registrantIn(registry, object);
  const contacts = contactsIn(registry, object);
  const delegation = delegationIn(registry, object);
  const fees = feeTaken(command, name, { of: "create", years });
  const dsData = dsDataOfCreate(command);
  if (!isAvailable(context, name)) throw new EppRefusal(2302, `Somebody holds ${name}.`);
  const registeredAt = instantOf(atMs);
  const expiresAt = addYears(registeredAt, years);
  const isNew = registry.putDomain({
    name,
    clientTransactionId: orderIdOf(context),
    registeredAt,
    expiresAt,
    nameservers: delegation?.nameservers ?? [],
    whoisPrivacy: hidesRegistrant(registry, registrant),
    transferLock: false,
    settlesAtMs: 0,
    sponsor: registrar,
    details: {
      creator: registrar,
      contacts,
      statuses: [],
      authInfo,
      dsData,
      ...(registrant !== undefined && { registrant }),
      ...(delegation?.attributes && { hostAttributes: delegation.attributes }),
    },
  });
  // The sandbox stores one domain per order id, so that the books can be compared with it.
  if (!isNew) throw new EppRefusal(2308, "An order with this clTRID made another name.");
  const created = [
    element(ns, "name", name),
    element(ns, "crDate", registeredAt),
    tellsExpiry(name) ? element(ns, "exDate", expiresAt) : undefined,
  ];
  return { code: 1000, resData: element(ns, "creData", created), extension: fees };
}

/** Parses a period in years; default: one. @throws EppRefusal 2004, 2005 */
export function yearsIn(object: XmlElement): number {
  const period = optional(object, "period");
  if (period === undefined) return 1;
  const count = Number(textIn(period, /^\d{1,2}$/, "a whole number"));
  const years = period.attributes.unit === "m" ? count / 12 : count;
  if (!Number.isInteger(years) || years < 1 || years > 10)
    throw new EppRefusal(2004, "<period> must be 1 to 10 whole years.");
  return years;
}

/** Parses a command's registrant. @throws EppRefusal 2005, 2303 */
export function registrantIn(registry: SandboxRegistry, parent: XmlElement): string | undefined {
  const registrant = optional(parent, "registrant");
  return registrant && existingContact(registry, registrant);
}

/** Parses a command's other contacts. @throws EppRefusal 2005, 2303, 2306 */
export function contactsIn(
  registry: SandboxRegistry,
  parent: XmlElement | undefined,
): readonly DomainContact[] {
  return atMost(all(parent, "contact"), mostContacts, "contacts").map((contact) => {
    const { type } = contact.attributes;
    if (type === undefined || !["admin", "billing", "tech"].includes(type))
      throw new EppRefusal(2001, "The type of <contact> must be admin, billing or tech.");
    return { type, id: existingContact(registry, contact) };
  });
}

function existingContact(registry: SandboxRegistry, element: XmlElement): string {
  const id = identifier(element);
  if (registry.contact(id) === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
  return id;
}

/** Returns true if the directory hides the registrant, by the contact's settings or because there is none. */
export function hidesRegistrant(registry: SandboxRegistry, registrant: string | undefined): boolean {
  const disclose = registrant === undefined ? undefined : registry.contact(registrant)?.disclose;
  return registrant === undefined || disclose?.flag === false;
}
