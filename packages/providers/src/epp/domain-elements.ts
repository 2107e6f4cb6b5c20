import {
  addressesIn,
  authInfo,
  availabilities,
  dnsName,
  history,
  identifier,
  most,
  name,
  statuses,
  years,
} from "./element-values.ts";
import { namespaces } from "./namespaces.ts";
import {
  attribute,
  choice,
  elementTable,
  many,
  maybe,
  one,
  struct,
  text,
  type ValueOf,
} from "./shapes.codec.ts";

const { epp, domain } = namespaces;

/** Nameservers as host objects, or as attributes with addresses (RFC 5731 §1.1). */
const nameservers = struct({
  objects: many("hostObj", dnsName, most),
  attributes: many(
    "hostAttr",
    struct({ name: one("hostName", dnsName), addresses: addressesIn("hostAddr") }),
    most,
  ),
});

const delegation = maybe("ns", nameservers);

/** Contacts in their roles; an unknown role is undefined. */
const contacts = many(
  "contact",
  struct({ type: choice("type", ["admin", "tech", "billing"]), id: identifier }),
  { most: 10 },
);

const parts = struct({ delegation, contacts, statuses });

const dates = { name, createdAt: maybe("crDate", text()), expiresAt: maybe("exDate", text()) };

/** Commands and answers about domains (RFC 5731), with their parts in the order of the schema. */
export const domainElements = elementTable(domain, {
  check: { names: many("name", dnsName, { least: 1 }) },
  chkData: { answers: availabilities("name") },
  create: {
    name,
    years,
    delegation,
    registrant: maybe("registrant", identifier),
    contacts,
    authInfo: one("authInfo", authInfo),
  },
  creData: dates,
  info: {
    // `hosts` chooses the hosts that the answer shows.
    subject: one("name", struct({ name: dnsName, hosts: attribute("hosts") })),
    authInfo: maybe("authInfo", authInfo),
  },
  /** Most parts are absent if the domain is another registrar's. */
  infData: {
    name,
    roid: maybe("roid", text()),
    statuses,
    registrant: maybe("registrant", text()),
    contacts,
    delegation,
    hosts: many("host", dnsName),
    ...history,
    expiresAt: maybe("exDate", text()),
    transferredAt: maybe("trDate", text()),
    authInfo: maybe("authInfo", authInfo),
  },
  renew: {
    name,
    expiryDay: one("curExpDate", text(/^\d{4}-\d{2}-\d{2}(?:Z|[+-]\d{2}:\d{2})?$/, "a date")),
    years,
  },
  renData: dates,
  update: {
    name,
    add: maybe("add", parts),
    remove: maybe("rem", parts),
    change: maybe(
      "chg",
      struct({
        // An empty registrant removes it.
        registrant: maybe("registrant", text(/^(?:|\S.{1,14}\S)$/u, "3 to 16 characters")),
        authInfo: maybe("authInfo", authInfo),
      }),
    ),
  },
  delete: { name },
  transfer: { name, years, authInfo: maybe("authInfo", authInfo) },
  trnData: {
    name,
    status: one("trStatus", text()),
    gaining: one("reID", text()),
    requestedAt: one("reDate", text()),
    losing: one("acID", text()),
    actedAt: one("acDate", text()),
    expiresAt: maybe("exDate", text()),
  },
  /** Result of an order that the registry carried out later. */
  panData: {
    subject: one("name", struct({ name: dnsName, result: attribute("paResult") })),
    ids: one("paTRID", struct({ client: one("clTRID", text(), epp), server: one("svTRID", text(), epp) })),
    at: one("paDate", text()),
  },
});

export type DomainContact = ValueOf<typeof contacts>[number];
export type TransferNews = ValueOf<typeof domainElements.trnData>;
export type NameserversElement = ValueOf<typeof nameservers>;
export type DomainPartsElement = ValueOf<typeof parts>;
