import type { RegistryContact } from "../../sandbox/registry-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { roidOf } from "./answering.ts";
import type { Answer, CommandContext, ObjectCommand } from "./command.ts";
import { disclosureIn, emailIn, phoneIn, postalIn, shownParts } from "./contact-parts.ts";
import { all, atMost, authInfoIn, identifier, optional, required, statusesAfter } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { contact: ns } = namespaces;
const mostIds = 100;
const settableStatuses = new Set([
  "clientDeleteProhibited",
  "clientTransferProhibited",
  "clientUpdateProhibited",
]);

/** Answers which contact ids are free (RFC 5733 §3.1.1). @throws EppRefusal */
export function checkContacts({ registry }: CommandContext, { object }: ObjectCommand): Answer {
  const ids = atMost(all(object, "id"), mostIds, "ids").map(identifier);
  if (ids.length === 0) throw new EppRefusal(2003, "<check> lacks <id>.");
  const answers = ids.map((id) => {
    const isFree = registry.contact(id) === undefined;
    return element(ns, "cd", [element(ns, "id", id, { avail: isFree ? "1" : "0" })]);
  });
  return { code: 1000, resData: element(ns, "chkData", answers) };
}

/** Creates a contact (RFC 5733 §3.2.1). @throws EppRefusal */
export function createContact(
  { registry, registrar, atMs }: CommandContext,
  { object }: ObjectCommand,
): Answer {
  const id = identifier(required(object, "id"));
  const postal = atMost(all(object, "postalInfo"), 2, "addresses").map(postalIn);
  if (postal.length === 0) throw new EppRefusal(2003, "<create> lacks <postalInfo>.");
  const [voice, fax] = [phoneIn(object, "voice"), phoneIn(object, "fax")];
  const disclose = disclosureIn(object);
  const createdAt = instantOf(atMs);
  const contact: RegistryContact = {
    id,
    sponsor: registrar,
    creator: registrar,
    createdAt,
    postal,
    email: emailIn(required(object, "email")),
    authInfo: authInfoIn(object) ?? "",
    statuses: [],
    ...(voice !== undefined && { voice }),
    ...(fax !== undefined && { fax }),
    ...(disclose && { disclose }),
  };
  if (registry.contact(id) !== undefined) throw new EppRefusal(2302, `There is a contact ${id}.`);
  registry.putContact(contact);
  const created = [element(ns, "id", id), element(ns, "crDate", createdAt)];
  return { code: 1000, resData: element(ns, "creData", created) };
}

/** Shows a contact to its registrar or with its authInfo (RFC 5733 §3.1.2). @throws EppRefusal 2201, 2202, 2303 */
export function showContact({ registry, registrar }: CommandContext, { object }: ObjectCommand): Answer {
  const id = identifier(required(object, "id"));
  const contact = registry.contact(id);
  if (contact === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
  const isOwn = contact.sponsor === registrar;
  const knowsCode = optional(object, "authInfo") !== undefined;
  if (knowsCode && authInfoIn(object) !== contact.authInfo)
    throw new EppRefusal(2202, `The code of ${id} is another one.`);
  if (!isOwn && !knowsCode) throw new EppRefusal(2201, `Another registrar has the contact ${id}.`);
  const { statuses, updater, updatedAt } = contact;
  const { front, back } = shownParts(contact);
  const shown = [...statuses, ...(registry.isContactLinked(id) ? ["linked"] : [])];
  const known = [
    element(ns, "id", id),
    element(ns, "roid", roidOf("C", id)),
    ...(shown.length === 0 ? ["ok"] : shown).map((s) => element(ns, "status", [], { s })),
    ...front,
    element(ns, "clID", contact.sponsor),
    element(ns, "crID", contact.creator),
    element(ns, "crDate", contact.createdAt),
    updater === undefined ? undefined : element(ns, "upID", updater),
    updatedAt === undefined ? undefined : element(ns, "upDate", updatedAt),
    isOwn ? element(ns, "authInfo", [element(ns, "pw", contact.authInfo)]) : undefined,
    ...back,
  ];
  return { code: 1000, resData: element(ns, "infData", known) };
}

/** Changes a contact (RFC 5733 §3.2.4). @throws EppRefusal */
export function updateContact(context: CommandContext, { object }: ObjectCommand): Answer {
  const contact = ownContact(context, identifier(required(object, "id")));
  const [add, rem, chg] = ["add", "rem", "chg"].map((name) => optional(object, name));
  if (add === undefined && rem === undefined && chg === undefined)
    throw new EppRefusal(2003, "<update> lacks <add>, <rem> and <chg>.");
  const statuses = statusesAfter(contact.statuses, { add, rem }, settableStatuses);
  if (statuses.includes("clientUpdateProhibited") && contact.statuses.includes("clientUpdateProhibited"))
    throw new EppRefusal(2304, `${contact.id} has the status clientUpdateProhibited.`);
  context.registry.putContact({
    ...contact,
    ...(chg && changesIn(chg, contact)),
    statuses,
    updater: context.registrar,
    updatedAt: instantOf(context.atMs),
  });
  return { code: 1000 };
}

function changesIn(chg: XmlElement, contact: RegistryContact): Partial<RegistryContact> {
  const postal = atMost(all(chg, "postalInfo"), 2, "addresses").map(postalIn);
  const kept = contact.postal.filter(({ type }) => !postal.some((changed) => changed.type === type));
  const [voice, fax] = [phoneIn(chg, "voice"), phoneIn(chg, "fax")];
  const email = optional(chg, "email");
  const disclose = disclosureIn(chg);
  return {
    postal: [...kept, ...postal],
    ...(voice !== undefined && { voice }),
    ...(fax !== undefined && { fax }),
    ...(email && { email: emailIn(email) }),
    ...(optional(chg, "authInfo") && { authInfo: authInfoIn(chg) ?? "" }),
    ...(disclose && { disclose }),
  };
}

/** Deletes a contact without domains (RFC 5733 §3.2.2). @throws EppRefusal 2304, 2305 */
export function deleteContact(context: CommandContext, { object }: ObjectCommand): Answer {
  const contact = ownContact(context, identifier(required(object, "id")));
  if (contact.statuses.includes("clientDeleteProhibited"))
    throw new EppRefusal(2304, `${contact.id} has the status clientDeleteProhibited.`);
  if (context.registry.isContactLinked(contact.id))
    throw new EppRefusal(2305, `A name has the contact ${contact.id}.`);
  context.registry.removeContact(contact.id);
  return { code: 1000 };
}

function ownContact({ registry, registrar }: CommandContext, id: string): RegistryContact {
  const contact = registry.contact(id);
  if (contact === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
  if (contact.sponsor !== registrar) throw new EppRefusal(2201, `Another registrar has the contact ${id}.`);
  return contact;
}
