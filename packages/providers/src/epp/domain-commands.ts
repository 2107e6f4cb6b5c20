import type { DelegationSigner, Glue } from "@hostledger/core";

import { objectCommand, type Command } from "./commands.ts";
import { addressesOf } from "./host-commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { readGraceStatuses } from "./restoration-commands.ts";
import { childOf, childrenOf, descendantOf, element, XmlError, type XmlElement } from "./xml.ts";

const { domain, secDns } = namespaces;

/** How a registry wants nameservers: hosts that it knows, or their names alone (RFC 5731 §1.1). */
export type DelegationForm = "objects" | "attributes";

/** A name's nameservers, in the registry's form. */
export interface Delegation {
  readonly form: DelegationForm;
  readonly nameservers: readonly string[];
  /** Addresses of those below the name, which go along with attributes; objects have theirs already. */
  readonly glue?: Glue;
}

/** The roles in which a name has contacts beside its registrant (RFC 5731 §2.2). */
const contactRoles = ["admin", "tech", "billing"] as const;

/** A contact in a role. */
export interface RoleContact {
  readonly role: (typeof contactRoles)[number];
  readonly id: string;
}

/** What is known of a name (RFC 5731 §3.1.2). */
export interface DomainInfo {
  readonly name: string;
  /** The registry's own identifier. */
  readonly roid: string;
  readonly statuses: readonly string[];
  readonly registrant: string | undefined;
  /** Those in the roles that are known here. */
  readonly contacts: readonly RoleContact[];
  readonly nameservers: readonly string[];
  /** The registrar that holds it. */
  readonly sponsor: string;
  /** As the registry writes it; absent for a stranger. */
  readonly createdAt: string | undefined;
  readonly expiresAt: string | undefined;
  /** Where it is in the time after its beginning, its renewal or its end (RFC 3915 §3.1). */
  readonly graceStatuses: readonly string[];
  /** When it was last changed, its deletion included. */
  readonly updatedAt: string | undefined;
  /** When another registrar gave it away last. */
  readonly transferredAt: string | undefined;
  /** A secret; absent where the registry keeps it to itself. */
  readonly authInfo: string | undefined;
  readonly delegationSigners: readonly DelegationSigner[];
  /** The registry holds keys of it, whose digests it makes itself (RFC 5910 §4.2). */
  readonly hasKeys: boolean;
}

/** Can the name be registered? @param extensions what else is asked of it. */
export function checkDomain(name: string, extensions: readonly XmlElement[] = []): Command {
  return { content: objectCommand("check", domain, [element(domain, "name", name)]), extensions };
}

/** The answer of `checkDomain`. @throws XmlError */
export function readAvailability({ data }: Response, name: string): boolean {
  const answers = data === undefined ? [] : childrenOf(data, domain, "cd");
  const said = answers.map((cd) => childOf(cd, domain, "name")).find((cd) => cd?.text.toLowerCase() === name);
  const available = said?.attributes.avail;
  if (available === undefined) throw new XmlError(`The answer says nothing of ${name}.`);
  return available === "1" || available === "true";
}

/** What creates a name. */
export interface DomainCreation {
  readonly name: string;
  readonly years: number;
  readonly delegation: Delegation;
  readonly registrant: string | undefined;
  readonly contacts: readonly RoleContact[];
  readonly authInfo: string;
}

/** Registers a name. */
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

/** Asks all that the registry tells of a name. @param authInfo its code, where the registry shall say whether it is that. */
export function askDomain(name: string, authInfo?: string): Command {
  const code = authInfo === undefined ? undefined : password(authInfo);
  const content = objectCommand("info", domain, [element(domain, "name", name, { hosts: "del" }), code]);
  return { content, ...(authInfo !== undefined && { secrets: [authInfo] }) };
}

/** The answer of `askDomain`. @throws XmlError */
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

/** Registries that keep codes to themselves leave out the element, or say that there is one: with nothing in it, or asterisks. */
function shownCode(text: string | undefined): string | undefined {
  return text === undefined || /^\**$/.test(text) ? undefined : text;
}

function nameserversIn(delegation: XmlElement): readonly string[] {
  return delegation.children.map((host) =>
    (host.name === "hostAttr" ? (childOf(host, domain, "hostName")?.text ?? "") : host.text).toLowerCase(),
  );
}

/** When a name was created or renewed to, as `<domain:creData>` and `<domain:renData>` say. */
export function readDates({ data }: Response): Pick<DomainInfo, "createdAt" | "expiresAt"> {
  const read = (name: string) => (data === undefined ? undefined : childOf(data, domain, name)?.text);
  return { createdAt: timeIn(read("crDate")), expiresAt: timeIn(read("exDate")) };
}

/** Years in which a name can begin or end: the first names are of 1985, and 9999 or 2999 stands for no end. */
const firstYear = 1985;
const lastYear = 2_199;

/** A registry that writes no time where one belongs tells none; nor does one that writes a time at which no name begins or ends. */
function timeIn(text: string | undefined): string | undefined {
  const year = new Date(text ?? "").getUTCFullYear();
  return year >= firstYear && year <= lastYear ? text : undefined;
}

/** Renews a name. @param currentExpiryDay `2027-01-31`: a name that expires on another day is not renewed. */
export function renewDomain(name: string, currentExpiryDay: string, years: number): Command {
  const content = [
    element(domain, "name", name),
    element(domain, "curExpDate", currentExpiryDay),
    period(years),
  ];
  return { content: objectCommand("renew", domain, content) };
}

/** What is added to a name, or taken from it. */
export interface DomainParts {
  readonly delegation?: Delegation;
  readonly contacts?: readonly RoleContact[];
  readonly statuses?: readonly string[];
}

/** What changes; what is absent stays. */
export interface DomainChange {
  readonly name: string;
  readonly add?: DomainParts;
  readonly remove?: DomainParts;
  readonly registrant?: string;
  readonly authInfo?: string;
  readonly signers?: SignerChange;
}

/** Delegation signers that come and go. A registry may refuse the removal of one that it does not hold (RFC 5910 §5.2.5). */
export interface SignerChange {
  readonly added: readonly DelegationSigner[];
  /** `all`: keys are there as well, which we do not know one by one. */
  readonly removed: readonly DelegationSigner[] | "all";
}

/** Changes a name. */
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

/** Deletes a name. */
export function deleteDomain(name: string): Command {
  return { content: objectCommand("delete", domain, [element(domain, "name", name)]) };
}

/** A time in years. */
export function period(years: number): XmlElement {
  return element(domain, "period", String(years), { unit: "y" });
}

/** The code of a name. */
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
