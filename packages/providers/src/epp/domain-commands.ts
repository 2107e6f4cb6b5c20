import type { DelegationSigner, Glue } from "@hostledger/core";

import { objectCommand, type Command } from "./commands.ts";
import {
  domainElements,
  type DomainPartsElement,
  type NameserversElement,
  type TransferNews,
} from "./domain-elements.ts";
import { graceElements, signerElements } from "./extension-elements.ts";
import { namespaces } from "./namespaces.ts";
import type { ValueOf } from "./shapes.codec.ts";
import type { Response } from "./responses.ts";
import { element, XmlError, type XmlElement } from "./xml.ts";

const { rgp, secDns } = namespaces;

/** Form of nameservers at a registry: host objects, or attributes of the domain (RFC 5731 §1.1). */
export type DelegationForm = "objects" | "attributes";

/** A domain's nameservers in the registry's form. */
export interface Delegation {
  readonly form: DelegationForm;
  readonly nameservers: readonly string[];
  /** Glue addresses of nameservers below the domain, sent with attributes only; host objects have their own. */
  readonly glue?: Glue;
}

/** A contact besides the registrant, in its role (RFC 5731 §2.2). */
export interface RoleContact {
  readonly type: "admin" | "tech" | "billing";
  readonly id: string;
}

type Shown = ValueOf<typeof domainElements.infData>;

/** Data of a domain (RFC 5731 §3.1.2). Times are as written by the registry; most data of others' domains are absent. */
export interface DomainInfo extends Omit<Shown, "authInfo" | "contacts" | "delegation" | "hosts"> {
  /** The registry's object identifier. */
  readonly roid: string;
  /** Contacts in known roles. */
  readonly contacts: readonly RoleContact[];
  readonly nameservers: readonly string[];
  /** Registrar of the domain. */
  readonly sponsor: string;
  /** Grace period statuses (RFC 3915 §3.1). */
  readonly graceStatuses: readonly string[];
  /** Secret; absent if the registry does not show it. */
  readonly authInfo: string | undefined;
  readonly delegationSigners: readonly DelegationSigner[];
  /** True if the registry has keys, from which it makes digests itself (RFC 5910 §4.2). */
  readonly hasKeys: boolean;
}

/** Asks whether a name is available. @param extensions further questions */
export function checkDomain(name: string, extensions: readonly XmlElement[] = []): Command {
  return { ...objectCommand(domainElements.check.write({ names: [name] })), extensions };
}

/** Parses the answer of `checkDomain`. @throws XmlError */
export function readAvailability({ data }: Response, name: string): boolean {
  const { answers } = data ? domainElements.chkData.read(data) : { answers: [] };
  const available = answers.find(({ subject }) => subject.id.toLowerCase() === name)?.subject.available;
  if (available === undefined) throw new XmlError(`The answer does not contain ${name}.`);
  return available;
}

export interface DomainCreation {
  readonly name: string;
  readonly years: number;
  readonly delegation: Delegation;
  readonly registrant: string | undefined;
  readonly contacts: readonly RoleContact[];
  readonly authInfo: string;
}

export function createDomain({ delegation, ...creation }: DomainCreation): Command {
  const content = domainElements.create.write({ ...creation, delegation: delegated(delegation) });
  return { ...objectCommand(content), secrets: [creation.authInfo] };
}

/** Requests all data of a domain. @param authInfo authInfo to be verified by the registry */
export function askDomain(name: string, authInfo?: string): Command {
  const command = objectCommand(domainElements.info.write({ subject: { name, hosts: "del" }, authInfo }));
  return { ...command, ...(authInfo !== undefined && { secrets: [authInfo] }) };
}

/** Parses the answer of `askDomain`. @throws XmlError */
export function readDomain({ data, extensions }: Response, name: string): DomainInfo {
  const { authInfo, contacts, delegation, hosts: _, ...shown } = infDataOf(data, name);
  const { roid, sponsor } = shown;
  if (roid === undefined || sponsor === undefined) throw aboutOther(name);
  const signers = extensions.find((one) => one.namespace === secDns && one.name === "infData");
  const { dsData = [], keyData } = signers ? signerElements.infData.read(signers) : {};
  const { objects = [], attributes = [] } = delegation ?? {};
  return {
    ...shown,
    roid,
    sponsor,
    contacts: contacts.flatMap(({ type, id }) => (type === undefined ? [] : [{ type, id }])),
    nameservers: [...objects, ...attributes.map((host) => host.name)],
    createdAt: timeIn(shown.createdAt),
    expiresAt: timeIn(shown.expiresAt),
    graceStatuses: readGraceStatuses({ extensions }),
    authInfo: shownCode(authInfo),
    delegationSigners: dsData,
    hasKeys: keyData !== undefined,
  };
}

function infDataOf(data: XmlElement | undefined, name: string): Shown {
  const shown = data && domainElements.infData.read(data);
  if (shown?.name !== name) throw aboutOther(name);
  return shown;
}

function aboutOther(name: string): XmlError {
  return new XmlError(`The answer is not about ${name}.`);
}

/** Requests the hosts below a domain (RFC 5731 §3.1.2). */
export function askHostsBelow(name: string): Command {
  return objectCommand(domainElements.info.write({ subject: { name, hosts: "sub" } }));
}

/** Parses the answer of `askHostsBelow`. @throws XmlError */
export function readHostsBelow({ data }: Response, name: string): readonly string[] {
  return infDataOf(data, name).hosts;
}

/** Returns authInfo, unless hidden: some registries omit the element, leave it empty or show asterisks. */
function shownCode(code: string | null | undefined): string | undefined {
  return code === null || code === undefined || /^\*+$/.test(code) ? undefined : code;
}

/** Returns creation and expiry from `<domain:creData>` or `<domain:renData>`. */
export function readDates({ data }: Response): Pick<DomainInfo, "createdAt" | "expiresAt"> {
  const shown = data && domainElements.creData.read(data);
  return { createdAt: timeIn(shown?.createdAt), expiresAt: timeIn(shown?.expiresAt) };
}

/** Plausible years of dates: the first domains are from 1985, and some registries write 9999 or 2999 for no expiry. */
const firstYear = 1985;
const lastYear = 2_199;

/** Returns the time, or undefined for malformed and implausible values. */
function timeIn(text: string | undefined): string | undefined {
  const year = new Date(text ?? "").getUTCFullYear();
  return year >= firstYear && year <= lastYear ? text : undefined;
}

/** Renews a domain. @param expiryDay day such as `2027-01-31`; refused if the domain expires on another day. */
export function renewDomain(name: string, expiryDay: string, years: number): Command {
  return objectCommand(domainElements.renew.write({ name, expiryDay, years }));
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

export function updateDomain(given: DomainChange): Command {
  const { name, add, remove, registrant, authInfo, signers } = given;
  const change = registrant === undefined && authInfo === undefined ? undefined : { registrant, authInfo };
  const content = domainElements.update.write({ name, add: part(add), remove: part(remove), change });
  return {
    ...objectCommand(content),
    extensions: signers === undefined ? [] : signersChanged(signers),
    ...(authInfo !== undefined && { secrets: [authInfo] }),
  };
}

function part({ delegation, contacts = [], statuses = [] }: DomainParts = {}):
  | DomainPartsElement
  | undefined {
  const hosts = delegation && delegated(delegation);
  if (hosts === undefined && contacts.length + statuses.length === 0) return undefined;
  return { delegation: hosts, contacts, statuses };
}

export function deleteDomain(name: string): Command {
  return objectCommand(domainElements.delete.write({ name }));
}

function delegated({ form, nameservers, glue }: Delegation): NameserversElement | undefined {
  if (nameservers.length === 0) return undefined;
  if (form === "objects") return { objects: nameservers, attributes: [] };
  return {
    objects: [],
    attributes: nameservers.map((name) => ({ name, addresses: glue?.[name] ?? [] })),
  };
}

function signersChanged({ added, removed }: SignerChange): readonly XmlElement[] {
  const gone = removed === "all" ? { all: "true", dsData: [] } : { dsData: removed };
  const remove = removed.length > 0 ? gone : undefined;
  const add = added.length > 0 ? { dsData: added } : undefined;
  return add === undefined && remove === undefined ? [] : [signerElements.update.write({ remove, add })];
}

/** Requests a transfer. @param authInfo of the domain @param years absent for the registry's default */
export function requestTransfer(name: string, authInfo: string, years?: number): Command {
  const content = domainElements.transfer.write({ name, years, authInfo });
  return { ...objectCommand(content, { op: "request" }), secrets: [authInfo] };
}

export function transferDomain(operation: "query" | "cancel", name: string): Command {
  return objectCommand(domainElements.transfer.write({ name }), { op: operation });
}

/** Parses the answer of `transferDomain` (RFC 5731 §3.1.3). @throws XmlError */
export function readTransfer({ data }: Response): TransferNews {
  const transfer = data && domainElements.trnData.read(data);
  if (!transfer?.status || !transfer.gaining) throw new XmlError("The answer is about no transfer.");
  return transfer;
}

/** Data of a deleted domain, as far as known. */
export type DeletedDomain = Pick<DomainInfo, "registrant" | "expiresAt" | "updatedAt">;

/** Restores a deleted domain (RFC 3915 §4.2.5). */
export function restoreDomain(name: string): Command {
  return restoring(name, "request");
}

/** Reports that a domain was restored for its earlier registrant (RFC 3915 §4.2.5). @param restoredAt ISO 8601 UTC */
export function reportRestoration(name: string, before: DeletedDomain, restoredAt: string): Command {
  const data = `Registrant ${before.registrant ?? "not kept"}, expiry ${before.expiresAt ?? "not told"}`;
  const texts = [
    ["preData", data],
    ["postData", data],
    ["delTime", before.updatedAt ?? restoredAt],
    ["resTime", restoredAt],
    ["resReason", "The registrant asked for it."],
    [
      "statement",
      "The registrar has not restored the name to assume the rights to use or sell it for itself or a third party.",
    ],
    ["statement", "The information in this report is true to the best of the registrar's knowledge."],
  ] as const;
  const report = texts.map(([child, text]) => element(rgp, child, text));
  return restoring(name, "report", report);
}

function restoring(name: string, operation: string, report?: readonly XmlElement[]): Command {
  return {
    ...objectCommand(domainElements.update.write({ name, change: {} })),
    extensions: [graceElements.update.write({ restore: { operation, report } })],
  };
}

/** Parses grace period statuses and the state of a restoration (RFC 3915 §3.1, §4.2.5); empty without the extension. */
export function readGraceStatuses({ extensions }: Pick<Response, "extensions">): readonly string[] {
  const shown = extensions.find(({ namespace }) => namespace === rgp);
  return shown === undefined ? [] : graceElements.infData.read(shown).statuses;
}
