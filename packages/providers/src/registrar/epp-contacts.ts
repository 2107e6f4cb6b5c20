import { createHash, randomBytes } from "node:crypto";

import type { NamedInstallation } from "@hostledger/core";
import { createLru } from "@hostledger/runtime";

import {
  askContact,
  createContact,
  readContact,
  type Contact,
  type EppClient,
  type PostalForm,
  type ShownContact,
  XmlError,
} from "../epp/index.ts";
import { judged, type NotCarriedOut } from "./epp-outcomes.ts";
import type { Registrant } from "./registrar.port.ts";

/** Maximum contacts remembered as existing, so that they are not created again. */
const mostRemembered = 10_000;

/** Ids tried for one contact; the last is random. */
const idAttempts = 4;

export interface EppContactsOptions {
  readonly client: EppClient;
  readonly form: PostalForm;
  /** Our registrar id (`clID`), the sponsor of our contacts. */
  readonly clientId: string;
  readonly installation: () => Promise<Pick<NamedInstallation, "part">>;
}

interface WantedContact {
  readonly base: string;
  readonly contact: Omit<Contact, "id">;
}

/** Creates registrants' contacts at a registry: per version of a profile at most two, disclosed and hidden. */
export class EppContacts {
  readonly #options: EppContactsOptions;
  /** Ids by base and variant. */
  readonly #known = createLru<string, string>(mostRemembered);

  constructor(options: EppContactsOptions) {
    this.#options = options;
  }

  /** Returns the registrant's contact, creating it if missing. Contacts are never changed; other data get another id. */
  async of(registrant: Registrant, isDisclosed: boolean): Promise<string | NotCarriedOut> {
    const { id, name, organisation, street, city, postalCode, country, phone, email } = registrant;
    const contact = {
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
    return this.#make({ base: await this.#baseOf(id), contact });
  }

  /** Returns the registrant's contact of the other variant, also for contacts of earlier versions without a random part. */
  async twin(id: string, isDisclosed: boolean): Promise<string | NotCarriedOut> {
    const base = await this.#baseOf(variantOf(id)?.base ?? id);
    const known = this.#known.get(keyOf(base, isDisclosed));
    if (known !== undefined) return known;
    const present = await this.#read(id);
    return "kind" in present ? present : this.#make({ base, contact: { ...present, isDisclosed } });
  }

  /** Returns true if the directory shows a contact. */
  async isDisclosed(id: string): Promise<boolean | NotCarriedOut> {
    const known = variantOf(id)?.isDisclosed;
    if (known !== undefined) return known;
    const contact = await this.#read(id);
    return "kind" in contact ? contact : contact.isDisclosed;
  }

  /** Creates a contact, or finds it if an earlier order created it. Ids of foreign contacts are skipped. */
  async #make({ base, contact }: WantedContact): Promise<string | NotCarriedOut> {
    const key = keyOf(base, contact.isDisclosed);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { client, form } = this.#options;
    for (let attempt = 0; attempt < idAttempts; attempt += 1) {
      const id = keyOf(attempt === 0 ? base : otherBase(base, attempt), contact.isDisclosed);
      // The password is not stored, because contacts are never transferred.
      const code = randomBytes(24).toString("base64url");
      const made = judged(await client.ask(createContact({ ...contact, id }, form, code)));
      // 1001: accepted, pending. 2302: created by an earlier order or by somebody else.
      const isMade = made.kind === "carried-out" || made.kind === "pending";
      if (!isMade && made.code !== 2302) return made;
      const isOurs = isMade || (await this.#isOurs({ ...contact, id }));
      if (typeof isOurs === "object") return isOurs;
      if (!isOurs) continue;
      this.#known.set(key, id);
      return id;
    }
    const message = `The registry has other contacts under all ${String(idAttempts)} ids that were tried for a registrant.`;
    return { kind: "refused", code: 2302, message };
  }

  /** Returns true if the contact has our sponsor and these data, or the failure to read it. */
  async #isOurs(wanted: Contact): Promise<boolean | NotCarriedOut> {
    try {
      const present = await this.#read(wanted.id);
      // 2201, 2202: another registrar's contact. 2303: deleted since.
      if ("kind" in present)
        return present.code === 2201 || present.code === 2202 || present.code === 2303 ? false : present;
      return present.sponsor === this.#options.clientId && isSameContact(wanted, present);
    } catch (error) {
      if (error instanceof XmlError) return false;
      throw error;
    }
  }

  async #read(id: string): Promise<ShownContact | NotCarriedOut> {
    const answer = judged(await this.#options.client.ask(askContact(id)));
    return answer.kind === "carried-out" ? readContact(answer.response, id) : answer;
  }

  /** Returns the base of a registrant's ids, with the installation's part; too long ids are replaced by a digest. */
  async #baseOf(registrantId: string): Promise<string> {
    const part = (await this.#options.installation()).part.toUpperCase();
    if (registrantId.startsWith(part) && registrantId.length <= longestBase) return registrantId;
    const base = `${part}${registrantId}`;
    return base.length <= longestBase ? base : `${part}${digestOf(registrantId)}`;
  }
}

/** Compares contacts, ignoring case and white space, which registries may change. */
function isSameContact(wanted: Contact, present: ShownContact): boolean {
  const texts = ({ name, organisation, street, city, postalCode, country, email }: Contact) =>
    [name, organisation ?? "", ...street, city, postalCode ?? "", country, email]
      .map((text) => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim())
      .filter((text) => text !== "");
  const phoneOf = ({ phone = "" }: Contact) => phone.replaceAll(/\D/g, "");
  return (
    texts(wanted).join("\n") === texts(present).join("\n") &&
    phoneOf(wanted) === phoneOf(present) &&
    (!present.hasDisclosure || wanted.isDisclosed === present.isDisclosed)
  );
}

const endings = { disclosed: "-O", hidden: "-P" } as const;

/** Maximum characters of a base: ids have 16 (RFC 5730 §4.1, `clIDType`), of which two mark the variant. */
const longestBase = 14;
const partLength = 6;

function keyOf(base: string, isDisclosed: boolean): string {
  return `${base}${isDisclosed ? endings.disclosed : endings.hidden}`;
}

/** Returns another base with the same part: equal for every try with this number, except that the last is random. */
function otherBase(base: string, attempt: number): string {
  const rest = attempt === idAttempts - 1 ? randomBytes(4).toString("hex") : `${base} ${String(attempt)}`;
  return `${base.slice(0, partLength)}${digestOf(rest)}`;
}

function digestOf(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .toUpperCase()
    .slice(0, longestBase - partLength);
}

/** Returns base and variant of a contact id made here. */
function variantOf(id: string): { readonly base: string; readonly isDisclosed: boolean } | undefined {
  const isDisclosed = id.endsWith(endings.disclosed);
  return isDisclosed || id.endsWith(endings.hidden) ? { base: id.slice(0, -2), isDisclosed } : undefined;
}
