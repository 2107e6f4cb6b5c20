import {
  authInfo,
  addressesIn,
  availabilities,
  dnsName,
  history,
  identifier,
  name,
  phones,
  statuses,
} from "./element-values.ts";
import { namespaces } from "./namespaces.ts";
import {
  anything,
  both,
  choice,
  elementTable,
  filled,
  flag,
  many,
  maybe,
  one,
  struct,
  text,
  type Shape,
  type ValueOf,
} from "./shapes.codec.ts";
import { element } from "./xml.ts";

const line = text(/^.{1,255}$/u, "1 to 255 characters");
const email = text(/^(?=.{3,255}$)[^\s@]+@[^\s@]+$/u, "an address like ada@example.com");

/** A postal address (RFC 5733 §2.6.1) in ASCII or in local letters. */
const postalInfo = both(
  struct({
    type: choice("type", ["int", "loc"]),
    name: one("name", line),
    organisation: filled("org", line),
  }),
  one(
    "addr",
    struct({
      street: many("street", line, { most: 3 }),
      city: one("city", line),
      province: filled("sp", line),
      postalCode: filled("pc", text(/^.{1,16}$/u, "1 to 16 characters")),
      country: one("cc", text(/^[A-Z]{2}$/, "a country like DE")),
    }),
  ),
);

const disclosable = ["name", "org", "addr", "voice", "fax", "email"];

/** Exceptions from the registry's disclosure policy (RFC 5733 §2.9). */
const disclosure = struct({
  flag: flag("flag"),
  elements: {
    read({ children }, refuse) {
      if (children.length > 16) refuse?.(2306, "There may be 16 elements at most in <disclose>.");
      return children.map(({ name: part, attributes: { type } }) => {
        if (!disclosable.includes(part)) refuse?.(2001, `<disclose> has no element <${part.slice(0, 64)}>.`);
        return { name: part, ...(type !== undefined && { type: type.slice(0, 8) }) };
      });
    },
    write: (elements, namespace) => ({
      children: elements.map(({ name: part, type }) =>
        element(namespace, part, [], type === undefined ? {} : { type }),
      ),
    }),
  } satisfies Shape<readonly { readonly name: string; readonly type?: string }[]>,
});

const id = one("id", identifier);
const disclose = maybe("disclose", disclosure);
const contactStatuses = struct({ statuses });

/** Commands and answers about contacts (RFC 5733), with their parts in the order of the schema. */
export const contactElements = elementTable(namespaces.contact, {
  check: { ids: many("id", identifier, { least: 1 }) },
  chkData: { answers: availabilities("id") },
  create: {
    id,
    postal: many("postalInfo", postalInfo, { least: 1, most: 2 }),
    ...phones,
    email: one("email", email),
    authInfo: one("authInfo", authInfo),
    disclose,
  },
  creData: { id, createdAt: maybe("crDate", text()) },
  info: { id, authInfo: maybe("authInfo", authInfo) },
  infData: {
    id,
    roid: maybe("roid", text()),
    statuses,
    postal: many("postalInfo", postalInfo),
    ...phones,
    email: one("email", email),
    ...history,
    authInfo: maybe("authInfo", authInfo),
    disclose,
  },
  update: {
    id,
    add: maybe("add", contactStatuses),
    remove: maybe("rem", contactStatuses),
    change: maybe(
      "chg",
      struct({
        postal: many("postalInfo", postalInfo, { most: 2 }),
        ...phones,
        email: maybe("email", email),
        authInfo: maybe("authInfo", authInfo),
        disclose,
      }),
    ),
  },
  delete: { id },
});

export type PostalInfo = ValueOf<typeof postalInfo>;
export type Disclosure = ValueOf<typeof disclosure>;

const addresses = addressesIn("addr");
const hostParts = struct({ addresses, statuses });

/** Commands and answers about hosts (RFC 5732). */
export const hostElements = elementTable(namespaces.host, {
  check: { names: many("name", dnsName, { least: 1 }) },
  chkData: { answers: availabilities("name") },
  create: { name, addresses },
  creData: { name, createdAt: maybe("crDate", text()) },
  info: { name },
  infData: { name, roid: maybe("roid", text()), statuses, addresses, ...history },
  update: {
    name,
    add: maybe("add", hostParts),
    remove: maybe("rem", hostParts),
    change: maybe("chg", anything),
  },
  delete: { name },
});
