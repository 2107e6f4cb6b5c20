import type { Disclosure, PostalInfo, RegistryContact } from "../../sandbox/registry-contents.codec.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { all, atMost, optional, required, textIn } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { contact: ns } = namespaces;
const line = /^.{1,255}$/u;
const short = /^.{1,16}$/u;

/** Parses an address (RFC 5733 §2.6.1). @throws EppRefusal 2001, 2003, 2005, 2306 */
export function postalIn(info: XmlElement): PostalInfo {
  const { type } = info.attributes;
  if (type !== "int" && type !== "loc") throw new EppRefusal(2001, "<postalInfo> must be int or loc.");
  const address = required(info, "addr");
  const [organisation, province, postalCode] = [
    optional(info, "org"),
    optional(address, "sp"),
    optional(address, "pc"),
  ];
  return {
    type,
    name: textIn(required(info, "name"), line, "1 to 255 characters"),
    street: atMost(all(address, "street"), 3, "lines").map((part) =>
      textIn(part, line, "1 to 255 characters"),
    ),
    city: textIn(required(address, "city"), line, "1 to 255 characters"),
    country: textIn(required(address, "cc"), /^[A-Z]{2}$/, "a country like DE"),
    ...said("organisation", organisation, line),
    ...said("province", province, line),
    ...said("postalCode", postalCode, short),
  };
}

function said<Name extends string>(
  name: Name,
  part: XmlElement | undefined,
  form: RegExp,
): Partial<Record<Name, string>> {
  const said: Partial<Record<Name, string>> = {};
  if (part !== undefined && part.text !== "") said[name] = textIn(part, form, "shorter");
  return said;
}

/** Parses an optional telephone number (E.164 as in RFC 5733 §2.5). @throws EppRefusal 2005 */
export function phoneIn(parent: XmlElement, name: string): string | undefined {
  const phone = optional(parent, name);
  if (phone === undefined || phone.text === "") return undefined;
  const number = textIn(phone, /^\+\d{1,3}\.\d{1,14}$/, "a number like +49.301234567");
  const { x } = phone.attributes;
  if (x !== undefined && !/^\d{1,10}$/.test(x))
    throw new EppRefusal(2005, `The x of <${name}> must be digits.`);
  return x === undefined ? number : `${number}x${x}`;
}

/** @throws EppRefusal 2005 */
export function emailIn(email: XmlElement): string {
  return textIn(email, /^(?=.{3,255}$)[^\s@]+@[^\s@]+$/u, "an address like ada@example.com");
}

/** Parses optional disclosure settings. @throws EppRefusal 2001, 2306 */
export function disclosureIn(parent: XmlElement): Disclosure | undefined {
  const disclose = optional(parent, "disclose");
  if (disclose === undefined) return undefined;
  const { flag = "" } = disclose.attributes;
  if (!["0", "1", "true", "false"].includes(flag)) throw new EppRefusal(2001, "<disclose> must have a flag.");
  const known = ["name", "org", "addr", "voice", "fax", "email"];
  const elements = atMost(disclose.children, 16, "elements").map(({ name, attributes: { type } }) => {
    if (!known.includes(name)) throw new EppRefusal(2001, `<disclose> knows no <${name.slice(0, 64)}>.`);
    return { name, ...(type !== undefined && { type: type.slice(0, 8) }) };
  });
  return { flag: flag === "1" || flag === "true", elements };
}

/** Returns a contact's elements before and after those of its registrars. */
export function shownParts({ postal, voice, fax, email, disclose }: RegistryContact): {
  readonly front: readonly (XmlElement | undefined)[];
  readonly back: readonly (XmlElement | undefined)[];
} {
  return {
    front: [
      ...postal.map(postalShown),
      phoneShown("voice", voice),
      phoneShown("fax", fax),
      element(ns, "email", email),
    ],
    back: [
      disclose &&
        element(
          ns,
          "disclose",
          disclose.elements.map(({ name, type }) =>
            element(ns, name, [], type === undefined ? {} : { type }),
          ),
          { flag: disclose.flag ? "1" : "0" },
        ),
    ],
  };
}

function postalShown({ type, name, organisation, ...address }: PostalInfo): XmlElement {
  const { street, city, province, postalCode, country } = address;
  return element(
    ns,
    "postalInfo",
    [
      element(ns, "name", name),
      optionally("org", organisation),
      element(ns, "addr", [
        ...street.map((part) => element(ns, "street", part)),
        element(ns, "city", city),
        optionally("sp", province),
        optionally("pc", postalCode),
        element(ns, "cc", country),
      ]),
    ],
    { type },
  );
}

function optionally(name: string, text: string | undefined): XmlElement | undefined {
  return text === undefined ? undefined : element(ns, name, text);
}

function phoneShown(name: string, phone: string | undefined): XmlElement | undefined {
  if (phone === undefined) return undefined;
  const [number = "", extension] = phone.split("x");
  return element(ns, name, number, extension === undefined ? {} : { x: extension });
}
