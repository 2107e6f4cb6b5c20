import { objectCommand, type Command } from "./commands.ts";
import { contactElements } from "./contact-elements.ts";
import type { Response } from "./responses.ts";
import { XmlError } from "./xml.ts";

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
  readonly hasDisclosure: boolean;
}

/** Script of an address: local letters or ASCII (RFC 5733 §2.4). */
export type PostalForm = "loc" | "int";

/** Creates a contact. @param authInfo password that permits its transfer. */
export function createContact(made: Contact, form: PostalForm, authInfo: string): Command {
  const { id, phone, email, isDisclosed, ...address } = made;
  const parts = ["name", "org", "addr"].map((name) => ({ name, type: form }));
  const content = contactElements.create.write({
    id,
    postal: [{ ...address, type: form }],
    voice: phone,
    email,
    authInfo,
    disclose: { flag: isDisclosed, elements: [...parts, { name: "voice" }, { name: "email" }] },
  });
  return { ...objectCommand(content), secrets: [authInfo] };
}

/** Requests all data of a contact. */
export function askContact(id: string): Command {
  return objectCommand(contactElements.info.write({ id }));
}

/** Parses the answer of `askContact`. @throws XmlError */
export function readContact({ data }: Response, id: string): ShownContact {
  const shown = data && contactElements.infData.read(data);
  const postal = shown?.postal[0];
  if (shown?.id !== id || postal === undefined || (postal.city === "" && postal.street.length === 0))
    throw new XmlError(`The answer is not about the contact ${id.slice(0, 16)}.`);
  const { name, organisation, street, city, postalCode, country } = postal;
  return {
    id,
    name,
    organisation,
    street,
    city,
    postalCode,
    country,
    phone: shown.voice,
    email: shown.email,
    isDisclosed: shown.disclose?.flag !== false,
    sponsor: shown.sponsor,
    hasDisclosure: shown.disclose?.flag !== undefined,
  };
}
