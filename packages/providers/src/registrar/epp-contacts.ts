import { createHash, randomBytes } from "node:crypto";

import { createLru } from "@hostledger/runtime";

import {
  askContact,
  createContact,
  readContact,
  type Contact,
  type EppClient,
  type PostalForm,
} from "../epp/index.ts";
import { judged, type NotCarriedOut } from "./epp-outcomes.ts";
import type { Registrant } from "./registrar.port.ts";

/** Contacts that were seen at the registry, so that they are not made again. */
const mostRemembered = 10_000;

/** Registrants at a registry: each version of a profile is two contacts at most, one that the directory shows and one that it does not. */
export class EppContacts {
  readonly #client: EppClient;
  readonly #form: PostalForm;
  readonly #known = createLru<string, true>(mostRemembered);

  constructor(client: EppClient, form: PostalForm) {
    this.#client = client;
    this.#form = form;
  }

  /** The registrant's contact, made if it is not there. Once there, it is not changed: other data have another id. */
  async of(registrant: Registrant, isDisclosed: boolean): Promise<string | NotCarriedOut> {
    const { name, organisation, street, city, postalCode, country, phone, email } = registrant;
    const contact = {
      id: contactId(registrant.id, isDisclosed),
      name,
      organisation: organisation ?? undefined,
      street: [street],
      city,
      postalCode,
      country,
      phone,
      email,
      isDisclosed,
    };
    return this.#make(contact);
  }

  /** The other contact of the same registrant. */
  async twin(id: string, isDisclosed: boolean): Promise<string | NotCarriedOut> {
    const other = contactId(variantOf(id)?.base ?? id, isDisclosed);
    if (this.#known.has(other)) return other;
    const contact = await this.#read(id);
    return "kind" in contact ? contact : this.#make({ ...contact, id: other, isDisclosed });
  }

  /** Whether the directory shows a contact. */
  async isDisclosed(id: string): Promise<boolean | NotCarriedOut> {
    const known = variantOf(id)?.isDisclosed;
    if (known !== undefined) return known;
    const contact = await this.#read(id);
    return "kind" in contact ? contact : contact.isDisclosed;
  }

  async #make(contact: Contact): Promise<string | NotCarriedOut> {
    const { id } = contact;
    if (this.#known.has(id)) return id;
    // Nobody needs the code: contacts are not handed over.
    const code = randomBytes(24).toString("base64url");
    const made = judged(await this.#client.ask(createContact(contact, this.#form, code)));
    // 2302: it was made for an earlier order.
    if (made.kind !== "carried-out" && made.code !== 2302) return made;
    this.#known.set(id, true);
    return id;
  }

  async #read(id: string): Promise<Contact | NotCarriedOut> {
    const answer = judged(await this.#client.ask(askContact(id)));
    return answer.kind === "carried-out" ? readContact(answer.response, id) : answer;
  }
}

const endings = { disclosed: "-O", hidden: "-P" } as const;

/** Ids have 16 characters at most (RFC 5730 §4.1, `clIDType`), two of which tell the variant. */
const longestBase = 14;

function contactId(registrantId: string, isDisclosed: boolean): string {
  const digest = () => createHash("sha256").update(registrantId).digest("hex").toUpperCase();
  const base = registrantId.length <= longestBase ? registrantId : digest().slice(0, longestBase);
  return `${base}${isDisclosed ? endings.disclosed : endings.hidden}`;
}

/** What the id of a contact tells that was made here. */
function variantOf(id: string): { readonly base: string; readonly isDisclosed: boolean } | undefined {
  const isDisclosed = id.endsWith(endings.disclosed);
  return isDisclosed || id.endsWith(endings.hidden) ? { base: id.slice(0, -2), isDisclosed } : undefined;
}
