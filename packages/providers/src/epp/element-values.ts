import { isIP, isIPv6 } from "node:net";

import { converted, filled, flag, many, maybe, one, struct, text, type Shape } from "./shapes.codec.ts";
import { childOf, element } from "./xml.ts";

/** Values that several objects of EPP share. */

export const identifier = text(/^\S.{1,14}\S$/u, "3 to 16 characters");

/** A DNS name in lower case. */
export const dnsName = converted(
  text(
    /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i,
    "a name like example.com",
  ),
  (name) => name.toLowerCase(),
);

export const name = one("name", dnsName);

const status: Shape<string> = {
  read: ({ attributes }) => attributes.s ?? "",
  write: (s) => ({ attributes: { s } }),
};
export const statuses = many("status", status);
export const graceStatuses = many("rgpStatus", status);

/** A term in years. */
export const years = maybe("period", {
  read({ text: count, attributes: { unit } }, refuse) {
    if (!/^\d{1,2}$/.test(count)) refuse?.(2005, "<period> must be a whole number.");
    const term = unit === "m" ? Number(count) / 12 : Number(count);
    if (!Number.isInteger(term) || term < 1 || term > 10)
      refuse?.(2004, "<period> must be 1 to 10 whole years.");
    return term;
  },
  write: (term) => ({ text: String(term), attributes: { unit: "y" } }),
} satisfies Shape<number>);

const password = one("pw", text(/^.{0,255}$/u, "255 characters at most"));

/** The authInfo; null if removed or to be removed (RFC 9154 §4.1). */
export const authInfo: Shape<string | null> = {
  read(given, refuse) {
    if (childOf(given, given.namespace, "null") !== undefined) return null;
    return password.read(given, refuse) || null;
  },
  write: (code, namespace) =>
    code === null ? { children: [element(namespace, "null")] } : password.write(code, namespace),
};

const address: Shape<string> = {
  read({ name: tag, text: ip, attributes }, refuse) {
    const family = attributes.ip === "v6" ? 6 : 4;
    if (isIP(ip) !== family) refuse?.(2005, `<${tag}> must be an IPv${String(family)} address.`);
    return ip;
  },
  write: (ip) => ({ text: ip, attributes: { ip: isIPv6(ip) ? "v6" : "v4" } }),
};

/** Most nameservers of a domain, addresses of a host, and DS records. */
export const most = { most: 13 };

export const addressesIn = (tag: string): Shape<readonly string[]> => many(tag, address, most);

/** Answers to the question which identifiers are free. */
export const availabilities = (tag: string) =>
  many(
    "cd",
    struct({
      subject: one(tag, struct({ id: text(), available: flag("avail") })),
      reason: maybe("reason", text()),
    }),
  );

/** Registrars of an object, and the times of its changes. */
export const history = {
  sponsor: maybe("clID", text()),
  creator: maybe("crID", text()),
  createdAt: maybe("crDate", text()),
  updater: maybe("upID", text()),
  updatedAt: maybe("upDate", text()),
};

/** A telephone number (E.164 as in RFC 5733 §2.5), with its extension after an `x`. */
const phone: Shape<string> = {
  read({ name: tag, text: number, attributes: { x } }, refuse) {
    if (!/^\+\d{1,3}\.\d{1,14}$/.test(number) || (x !== undefined && !/^\d{1,10}$/.test(x)))
      refuse?.(2005, `<${tag}> must be a number like +49.301234567, with digits as its x.`);
    return x === undefined ? number : `${number}x${x}`;
  },
  write(value) {
    const [number = "", extension] = value.split("x");
    return { text: number, attributes: extension === undefined ? {} : { x: extension } };
  },
};
export const phones = { voice: filled("voice", phone), fax: filled("fax", phone) };
