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

/** Maximum contacts tracked as present at the registry, so that they are not created again. */
const mostRemembered = 10_000;

/** Ids tried for one contact; the last one is random. */
const idAttempts = 4;

/** What contacts are made with. */
export interface EppContactsOptions {
  readonly client: EppClient;
  readonly form: PostalForm;
  /** The registrar that sponsors contacts of ours (`clID`). */
  readonly clientId: string;
  readonly installation: () => Promise<Pick<NamedInstallation, "part">>;
}

/** A contact of a registrant, before it has an id. */
interface WantedContact {
  /** What its first id is made of. */
  readonly base: string;
  readonly contact: Omit<Contact, "id">;
}

/** Registrants at a registry: each version of a profile is two contacts at most, one that the directory shows and one that it does not. */
export class EppContacts {
  readonly #options: EppContactsOptions;
  /** Ids by base and variant. */
  readonly #known = createLru<string, string>(mostRemembered);

  constructor(options: EppContactsOptions) {
    this.#options = options;
  }

  /** The registrant's contact, created if absent. A contact is not changed: other data have another id. */
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

  /** The other contact of the same registrant. Contacts of an earlier version, whose ids have no random part, have one too. */
  async twin(id: string, isDisclosed: boolean): Promise<string | NotCarriedOut> {
    const base = await this.#baseOf(variantOf(id)?.base ?? id);
    const known = this.#known.get(keyOf(base, isDisclosed));
    if (known !== undefined) return known;
    const present = await this.#read(id);
    return "kind" in present ? present : this.#make({ base, contact: { ...present, isDisclosed } });
  }

  /** Whether the directory shows a contact. */
  async isDisclosed(id: string): Promise<boolean | NotCarriedOut> {
    const known = variantOf(id)?.isDisclosed;
    if (known !== undefined) return known;
    const contact = await this.#read(id);
    return "kind" in contact ? contact : contact.isDisclosed;
  }

  /** Creates a contact, or finds the contact that an earlier order created. An id that others use is passed over. */
  async #make({ base, contact }: WantedContact): Promise<string | NotCarriedOut> {
    const key = keyOf(base, contact.isDisclosed);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { client, form } = this.#options;
    for (let attempt = 0; attempt < idAttempts; attempt += 1) {
      const id = keyOf(attempt === 0 ? base : otherBase(base, attempt), contact.isDisclosed);
      // Nobody needs the code: contacts are not handed over.
      const code = randomBytes(24).toString("base64url");
      const made = judged(await client.ask(createContact({ ...contact, id }, form, code)));
      // 1001: the registry has taken it down. 2302: an earlier order created the contact, or somebody else did.
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

  /** Whether a contact at the registry has our sponsor and these data; or why that is not known. */
  async #isOurs(wanted: Contact): Promise<boolean | NotCarriedOut> {
    try {
      const present = await this.#read(wanted.id);
      // 2201: another registrar sponsors the contact. 2303: its owner has deleted it since.
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

  /** What a registrant's ids begin with: the installation's part. What does not fit is named by its digest. */
  async #baseOf(registrantId: string): Promise<string> {
    const part = (await this.#options.installation()).part.toUpperCase();
    if (registrantId.startsWith(part) && registrantId.length <= longestBase) return registrantId;
    const base = `${part}${registrantId}`;
    return base.length <= longestBase ? base : `${part}${digestOf(registrantId)}`;
  }
}

/** Registries may write letters and blanks in their own way. */
function isSameContact(wanted: Contact, present: ShownContact): boolean {
  const texts = ({ name, organisation, street, city, postalCode, country, email }: Contact) =>
    [name, organisation ?? "", ...street, city, postalCode ?? "", country, email]
      .map((text) => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim())
      .filter((text) => text !== "");
  const phoneOf = ({ phone = "" }: Contact) => phone.replaceAll(/\D/g, "");
  return (
    texts(wanted).join("\n") === texts(present).join("\n") &&
    phoneOf(wanted) === phoneOf(present) &&
    (!present.tellsDisclosure || wanted.isDisclosed === present.isDisclosed)
  );
}

const endings = { disclosed: "-O", hidden: "-P" } as const;

/** Ids have 16 characters at most (RFC 5730 §4.1, `clIDType`), two of which tell the variant. */
const longestBase = 14;
const partLength = 6;

function keyOf(base: string, isDisclosed: boolean): string {
  return `${base}${isDisclosed ? endings.disclosed : endings.hidden}`;
}

/** Another base with the same part: the same for every attempt of this number, except that the last attempt's is random. */
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

/** What the id of a contact tells that was made here. */
function variantOf(id: string): { readonly base: string; readonly isDisclosed: boolean } | undefined {
  const isDisclosed = id.endsWith(endings.disclosed);
  return isDisclosed || id.endsWith(endings.hidden) ? { base: id.slice(0, -2), isDisclosed } : undefined;
}
