import { namespaces } from "../namespaces.ts";
import { childOf, type XmlElement } from "../xml.ts";
import { EppRefusal } from "./result-codes.ts";

/** Returns a mandatory child. @throws EppRefusal 2003 */
export function required(parent: XmlElement, name: string): XmlElement {
  const child = childOf(parent, parent.namespace, name);
  if (child === undefined) throw new EppRefusal(2003, `<${parent.name}> lacks <${name}>.`);
  return child;
}

/** Returns an optional child in its parent's namespace. */
export function optional(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent && childOf(parent, parent.namespace, name);
}

export function all(parent: XmlElement | undefined, name: string): readonly XmlElement[] {
  if (parent === undefined) return [];
  return parent.children.filter((child) => child.namespace === parent.namespace && child.name === name);
}

/** Returns an element's text. @throws EppRefusal 2005 if it does not match */
export function textIn(element: XmlElement, form: RegExp, what: string): string {
  if (!form.test(element.text)) throw new EppRefusal(2005, `<${element.name}> must be ${what}.`);
  return element.text;
}

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Parses a DNS name to lower case. @throws EppRefusal 2005 */
export function dnsName(element: XmlElement): string {
  const name = element.text.toLowerCase();
  if (!hostName.test(name)) throw new EppRefusal(2005, `<${element.name}> must be a name like example.com.`);
  return name;
}

/** Parses a contact's identifier (`clIDType`, RFC 5730 §4.1). @throws EppRefusal 2005 */
export function identifier(element: XmlElement): string {
  return textIn(element, /^\S.{1,14}\S$/u, "3 to 16 characters");
}

/** Limits the number of items. @throws EppRefusal 2306 */
export function atMost<Item>(items: readonly Item[], most: number, what: string): readonly Item[] {
  if (items.length > most) throw new EppRefusal(2306, `There may be ${String(most)} ${what} at most.`);
  return items;
}

/** Applies `<rem>` and `<add>` to statuses. @param settable permitted statuses @throws EppRefusal 2306 */
export function statusesAfter(
  found: readonly string[],
  { add, rem }: Readonly<Record<"add" | "rem", XmlElement | undefined>>,
  settable: ReadonlySet<string>,
): readonly string[] {
  const [added, removed] = [add, rem].map((parent) =>
    atMost(all(parent, "status"), settable.size, "statuses").map(({ attributes: { s = "" } }) => {
      if (!settable.has(s))
        throw new EppRefusal(2306, `A registrar does not set the status ${s.slice(0, 64)}.`);
      return s;
    }),
  );
  return [...new Set([...found.filter((status) => !removed?.includes(status)), ...(added ?? [])])];
}

/** Parses `authInfo`; null to remove it (RFC 9154 §4.1). @throws EppRefusal 2003, 2005 */
export function authInfoIn(parent: XmlElement): string | null {
  const authInfo = required(parent, "authInfo");
  if (optional(authInfo, "null") !== undefined) return null;
  const code = textIn(required(authInfo, "pw"), /^.{0,255}$/u, "255 characters at most");
  return code === "" ? null : code;
}

/** Parses the client's transaction id. @throws EppRefusal 2005 */
export function clientTransactionIdIn(command: XmlElement): string | undefined {
  const element = childOf(command, namespaces.epp, "clTRID");
  return element && textIn(element, /^.{3,64}$/u, "3 to 64 characters");
}
