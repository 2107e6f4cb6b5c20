import type { DelegationSigner, Glue } from "@hostledger/core";

import { objectCommand, type Command } from "./commands.ts";
import { addressesOf } from "./host-commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { readGraceStatuses } from "./restoration-commands.ts";
import { childOf, childrenOf, descendantOf, element, XmlError, type XmlElement } from "./xml.ts";

const { domain, secDns } = namespaces;

/** Form of nameservers at a registry: host objects, or attributes of the domain (RFC 5731 §1.1). */
export type DelegationForm = "objects" | "attributes";

/** A domain's nameservers in the registry's form. */
export interface Delegation {
  readonly form: DelegationForm;
  readonly nameservers: readonly string[];
  /** Glue addresses of nameservers below the domain, sent with attributes only; host objects have their own. */
  readonly glue?: Glue;
}

/** Roles of contacts besides the registrant (RFC 5731 §2.2). */
const contactRoles = ["admin", "tech", "billing"] as const;

export interface RoleContact {
  readonly role: (typeof contactRoles)[number];
  readonly id: string;
}

/** Data of a domain (RFC 5731 §3.1.2). */
export interface DomainInfo {
  readonly name: string;
  /** The registry's object identifier. */
  readonly roid: string;
  readonly statuses: readonly string[];
  readonly registrant: string | undefined;
  /** Contacts in known roles. */
  readonly contacts: readonly RoleContact[];
  readonly nameservers: readonly string[];
  /** Registrar of the domain. */
  readonly sponsor: string;
  /** As written by the registry; absent if the domain is another registrar's. */
  readonly createdAt: string | undefined;
  readonly expiresAt: string | undefined;
  /** Grace period statuses (RFC 3915 §3.1). */
  readonly graceStatuses: readonly string[];
  /** Time of the last change, deletion included. */
  readonly updatedAt: string | undefined;
  /** Time of the last transfer. */
  readonly transferredAt: string | undefined;
  /** Secret; absent if the registry does not show it. */
  readonly authInfo: string | undefined;
  readonly delegationSigners: readonly DelegationSigner[];
  /** True if the registry has keys, from which it makes digests itself (RFC 5910 §4.2). */
  readonly hasKeys: boolean;
}

/** Asks whether a name is available. @param extensions further questions */
export function checkDomain(name: string, extensions: readonly XmlElement[] = []): Command {
  return { content: objectCommand("check", domain, [element(domain, "name", name)]), extensions };
}

/** Parses the answer of `checkDomain`. @throws XmlError */
export function readAvailability({ data }: Response, name: string): boolean {
  const answers = data === undefined ? [] : childrenOf(data, domain, "cd");
  const said = answers.map((cd) => childOf(cd, domain, "name")).find((cd) => cd?.text.toLowerCase() === name);
  const available = said?.attributes.avail;
  if (available === undefined) throw new XmlError(`The answer says nothing of ${name}.`);
  return available === "1" || available === "true";
}

/** Data of a new domain. */
export interface DomainCreation {
  readonly name: string;
  readonly years: number;
  readonly delegation: Delegation;
  readonly registrant: string | undefined;
  readonly contacts: readonly RoleContact[];
  readonly authInfo: string;
}

/** Registers a domain. */
export function createDomain(creation: DomainCreation): Command {
  const { name, years, delegation, registrant, contacts, authInfo } = creation;
  const content = objectCommand("create", domain, [
    element(domain, "name", name),
    period(years),
    delegated(delegation),
    registrant === undefined ? undefined : element(domain, "registrant", registrant),
    ...contacts.map(inRole),
    password(authInfo),
  ]);
  return { content, secrets: [authInfo] };
}

/** Requests all data of a domain. @param authInfo authInfo to be verified by the registry */
export function askDomain(name: string, authInfo?: string): Command {
  const code = authInfo === undefined ? undefined : password(authInfo);
  const content = objectCommand("info", domain, [element(domain, "name", name, { hosts: "del" }), code]);
  return { content, ...(authInfo !== undefined && { secrets: [authInfo] }) };
}

/** Parses the answer of `askDomain`. @throws XmlError */
export function readDomain({ data, extensions }: Response, name: string): DomainInfo {
  const read = (child: string) => (data === undefined ? undefined : childOf(data, domain, child)?.text);
  const [shownName, roid, sponsor] = [read("name"), read("roid"), read("clID")];
  if (data === undefined || shownName?.toLowerCase() !== name || roid === undefined || sponsor === undefined)
    throw new XmlError(`The answer is not about ${name}.`);
  const delegation = childOf(data, domain, "ns");
  const signers = extensions.find((one) => one.namespace === secDns && one.name === "infData");
  return {
    name,
    roid,
    sponsor,
    statuses: childrenOf(data, domain, "status").map(({ attributes }) => attributes.s ?? ""),
    registrant: read("registrant"),
    contacts: childrenOf(data, domain, "contact").flatMap(readRole),
    nameservers: delegation === undefined ? [] : nameserversIn(delegation),
    createdAt: timeIn(read("crDate")),
    expiresAt: timeIn(read("exDate")),
    graceStatuses: readGraceStatuses({ extensions }),
    updatedAt: read("upDate"),
    transferredAt: read("trDate"),
    authInfo: shownCode(descendantOf(data, domain, "authInfo", "pw")?.text),
    delegationSigners: signers === undefined ? [] : childrenOf(signers, secDns, "dsData").map(readSigner),
    hasKeys: signers !== undefined && childrenOf(signers, secDns, "keyData").length > 0,
  };
}

/** Returns authInfo, unless hidden: some registries omit the element, leave it empty or show asterisks. */
function shownCode(text: string | undefined): string | undefined {
  return text === undefined || /^\**$/.test(text) ? undefined : text;
}

function nameserversIn(delegation: XmlElement): readonly string[] {
  return delegation.children.map((host) =>
    (host.name === "hostAttr" ? (childOf(host, domain, "hostName")?.text ?? "") : host.text).toLowerCase(),
  );
}

/** Returns creation and expiry from `<domain:creData>` or `<domain:renData>`. */
export function readDates({ data }: Response): Pick<DomainInfo, "createdAt" | "expiresAt"> {
  const read = (name: string) => (data === undefined ? undefined : childOf(data, domain, name)?.text);
  return { createdAt: timeIn(read("crDate")), expiresAt: timeIn(read("exDate")) };
}

/** Plausible years of dates: the first domains are from 1985, and some registries write 9999 or 2999 for no expiry. */
const firstYear = 1985;
const lastYear = 2_199;

/** Returns the time, or undefined for malformed and implausible values. */
function timeIn(text: string | undefined): string | undefined {
  const year = new Date(text ?? "").getUTCFullYear();
  return year >= firstYear && year <= lastYear ? text : undefined;
}

/** Renews a domain. @param currentExpiryDay day such as `2027-01-31`; refused if the domain expires on another day. */
export function renewDomain(name: string, currentExpiryDay: string, years: number): Command {
  const content = [
    element(domain, "name", name),
    element(domain, "curExpDate", currentExpiryDay),
    period(years),
  ];
  return { content: objectCommand("renew", domain, content) };
}

/** Parts to add to or remove from a domain. */
export interface DomainParts {
  readonly delegation?: Delegation;
  readonly contacts?: readonly RoleContact[];
  readonly statuses?: readonly string[];
}

/** Changes of a domain; absent parts stay. */
export interface DomainChange {
  readonly name: string;
  readonly add?: DomainParts;
  readonly remove?: DomainParts;
  readonly registrant?: string;
  readonly authInfo?: string;
  readonly signers?: SignerChange;
}

/** Changes of DS records. A registry may refuse to remove a record that it does not have (RFC 5910 §5.2.5). */
export interface SignerChange {
  readonly added: readonly DelegationSigner[];
  /** `all` if there are also keys, which we do not know individually. */
  readonly removed: readonly DelegationSigner[] | "all";
}

export function updateDomain(change: DomainChange): Command {
  const { name, add, remove, registrant, authInfo, signers } = change;
  const changed = [
    registrant === undefined ? undefined : element(domain, "registrant", registrant),
    authInfo === undefined ? undefined : password(authInfo),
  ].filter((child) => child !== undefined);
  const content = objectCommand("update", domain, [
    element(domain, "name", name),
    part("add", add),
    part("rem", remove),
    changed.length === 0 ? undefined : element(domain, "chg", changed),
  ]);
  return {
    content,
    extensions: signers === undefined ? [] : signersChanged(signers),
    ...(authInfo !== undefined && { secrets: [authInfo] }),
  };
}

function part(name: string, content: DomainParts | undefined): XmlElement | undefined {
  const contacts = (content?.contacts ?? []).map(inRole);
  const statuses = (content?.statuses ?? []).map((s) => element(domain, "status", [], { s }));
  const children = [content?.delegation && delegated(content.delegation), ...contacts, ...statuses];
  const present = children.filter((child) => child !== undefined);
  return present.length === 0 ? undefined : element(domain, name, present);
}

export function deleteDomain(name: string): Command {
  return { content: objectCommand("delete", domain, [element(domain, "name", name)]) };
}

export function period(years: number): XmlElement {
  return element(domain, "period", String(years), { unit: "y" });
}

/** Returns the authInfo element. */
export function password(authInfo: string): XmlElement {
  return element(domain, "authInfo", [element(domain, "pw", authInfo)]);
}

function inRole({ role, id }: RoleContact): XmlElement {
  return element(domain, "contact", id, { type: role });
}

function readRole({ attributes, text: id }: XmlElement): readonly RoleContact[] {
  const role = contactRoles.find((known) => known === attributes.type);
  return role === undefined ? [] : [{ role, id }];
}

function delegated({ form, nameservers, glue }: Delegation): XmlElement | undefined {
  if (nameservers.length === 0) return undefined;
  const hosts = nameservers.map((name) =>
    form === "objects"
      ? element(domain, "hostObj", name)
      : element(domain, "hostAttr", [
          element(domain, "hostName", name),
          ...addressesOf(domain, "hostAddr", glue?.[name] ?? []),
        ]),
  );
  return element(domain, "ns", hosts);
}

function readSigner(signer: XmlElement): DelegationSigner {
  const read = (name: string) => childOf(signer, secDns, name)?.text ?? "";
  return {
    keyTag: Number(read("keyTag")),
    algorithm: Number(read("alg")),
    digestType: Number(read("digestType")),
    digest: read("digest").toUpperCase(),
  };
}

function signersChanged({ added, removed }: SignerChange): readonly XmlElement[] {
  const gone = removed === "all" ? [element(secDns, "all", "true")] : digestsOf(removed);
  const parts = [
    gone.length > 0 ? element(secDns, "rem", gone) : undefined,
    added.length > 0 ? element(secDns, "add", digestsOf(added)) : undefined,
  ].filter((child) => child !== undefined);
  return parts.length === 0 ? [] : [element(secDns, "update", parts)];
}

function digestsOf(signers: readonly DelegationSigner[]): readonly XmlElement[] {
  return signers.map(({ keyTag, algorithm, digestType, digest }) =>
    element(secDns, "dsData", [
      element(secDns, "keyTag", String(keyTag)),
      element(secDns, "alg", String(algorithm)),
      element(secDns, "digestType", String(digestType)),
      element(secDns, "digest", digest),
    ]),
  );
}
