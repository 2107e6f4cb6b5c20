import { objectCommand, type Command } from "./commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childOf, element, XmlError, type XmlElement } from "./xml.ts";

const { contact } = namespaces;

/** A contact at a registry (RFC 5733 §2). */
export interface Contact {
  /** 3 to 16 characters. */
  readonly id: string;
  readonly name: string;
  readonly organisation: string | undefined;
  readonly street: readonly string[];
  readonly city: string;
  readonly postalCode: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly phone: string | undefined;
  readonly email: string;
  /** True if the public directory may show the contact. */
  readonly isDisclosed: boolean;
}

/** A contact in the registry's answer. */
export interface ShownContact extends Contact {
  /** Registrar of the contact (`clID`); undefined if not shown. */
  readonly sponsor: string | undefined;
  /** True if the answer contains disclosure settings. */
  readonly tellsDisclosure: boolean;
}

/** Script of an address: local letters or ASCII (RFC 5733 §2.4). */
export type PostalForm = "loc" | "int";

/** Creates a contact. @param authInfo password that permits its transfer. */
export function createContact(made: Contact, form: PostalForm, authInfo: string): Command {
  const content = objectCommand("create", contact, [
    element(contact, "id", made.id),
    postalInfo(made, form),
    made.phone === undefined ? undefined : element(contact, "voice", made.phone),
    element(contact, "email", made.email),
    element(contact, "authInfo", [element(contact, "pw", authInfo)]),
    disclosure(made.isDisclosed, form),
  ]);
  return { content, secrets: [authInfo] };
}

/** Requests all data of a contact. */
export function askContact(id: string): Command {
  return { content: objectCommand("info", contact, [element(contact, "id", id)]) };
}

/** Parses the answer of `askContact`. @throws XmlError */
export function readContact({ data }: Response, id: string): ShownContact {
  const read = (name: string) => (data === undefined ? undefined : childOf(data, contact, name));
  const postal = read("postalInfo");
  const address = postal && childOf(postal, contact, "addr");
  if (data === undefined || read("id")?.text !== id || postal === undefined || address === undefined)
    throw new XmlError(`The answer is not about the contact ${id.slice(0, 16)}.`);
  const flag = read("disclose")?.attributes.flag;
  const inAddress = (name: string) => childOf(address, contact, name)?.text;
  return {
    id,
    name: childOf(postal, contact, "name")?.text ?? "",
    organisation: childOf(postal, contact, "org")?.text,
    street: address.children.filter(({ name }) => name === "street").map(({ text }) => text),
    city: inAddress("city") ?? "",
    postalCode: inAddress("pc"),
    country: inAddress("cc") ?? "",
    phone: read("voice")?.text,
    email: read("email")?.text ?? "",
    isDisclosed: flag !== "0" && flag !== "false",
    sponsor: read("clID")?.text,
    tellsDisclosure: flag !== undefined,
  };
}

function postalInfo(made: Contact, form: PostalForm): XmlElement {
  const address = [
    ...made.street.map((street) => element(contact, "street", street)),
    element(contact, "city", made.city),
    made.postalCode === undefined ? undefined : element(contact, "pc", made.postalCode),
    element(contact, "cc", made.country),
  ];
  const content = [
    element(contact, "name", made.name),
    made.organisation === undefined ? undefined : element(contact, "org", made.organisation),
    element(contact, "addr", address),
  ];
  return element(contact, "postalInfo", content, { type: form });
}

function disclosure(isDisclosed: boolean, form: PostalForm): XmlElement {
  const parts = [
    ...["name", "org", "addr"].map((name) => element(contact, name, [], { type: form })),
    element(contact, "voice"),
    element(contact, "email"),
  ];
  return element(contact, "disclose", parts, { flag: isDisclosed ? "1" : "0" });
}
