/** A contact of a name other than its registrant (RFC 5731 §2.2). */
export interface DomainContact {
  readonly type: string;
  readonly id: string;
}

/** A digest of a key that signs the zone (RFC 5910 §4.1). */
export interface DsData {
  readonly keyTag: string;
  readonly algorithm: string;
  readonly digestType: string;
  /** Hexadecimal, upper case. */
  readonly digest: string;
}

/** What the registry knows of a name beside what its registrar asks in our own words. */
export interface DomainDetails {
  readonly creator: string;
  readonly updater?: string;
  /** ISO 8601 UTC, as all instants here. */
  readonly updatedAt?: string;
  readonly transferredAt?: string;
  readonly registrant?: string;
  readonly contacts: readonly DomainContact[];
  /** Those that a client sets, but for `clientTransferProhibited`, which is the domain's own `transferLock`. */
  readonly statuses: readonly string[];
  /** Null when none is set: no transfer is possible then (RFC 9154 §4.1). Absent until one is set: the simulator's own holds. */
  readonly authInfo?: string | null;
  /** Addresses by host name, where the delegation came as attributes (RFC 5731 §1.1). */
  readonly hostAttributes?: Readonly<Record<string, readonly string[]>>;
  readonly dsData: readonly DsData[];
  /** When it was deleted after its first days: it can be restored for a while (RFC 3915). Milliseconds since 1970. */
  readonly deletedAtMs?: number;
  /** Answered with 1001: until then it shows what it was. */
  readonly pending?: PendingAction;
}

/** What was taken down and is not carried out yet (RFC 5731 §2.3). */
export interface PendingAction {
  readonly kind: "pendingCreate" | "pendingRenew";
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  /** The expiry date that still holds. */
  readonly expiresAt: string;
}

/** A person or an organisation (RFC 5733 §2). */
export interface RegistryContact {
  readonly id: string;
  readonly sponsor: string;
  readonly creator: string;
  readonly createdAt: string;
  readonly updater?: string;
  readonly updatedAt?: string;
  readonly postal: readonly PostalInfo[];
  readonly voice?: string;
  readonly fax?: string;
  readonly email: string;
  readonly authInfo: string;
  readonly statuses: readonly string[];
  readonly disclose?: Disclosure;
}

/** A postal address in one of its two spellings. */
export interface PostalInfo {
  readonly type: string;
  readonly name: string;
  readonly organisation?: string;
  readonly street: readonly string[];
  readonly city: string;
  readonly province?: string;
  readonly postalCode?: string;
  readonly country: string;
}

/** What the public directory shows against the registry's habit (RFC 5733 §2.9). */
export interface Disclosure {
  readonly flag: boolean;
  readonly elements: readonly { readonly name: string; readonly type?: string }[];
}

/** A nameserver (RFC 5732 §2). */
export interface RegistryHost {
  readonly name: string;
  readonly sponsor: string;
  readonly creator: string;
  readonly createdAt: string;
  readonly updater?: string;
  readonly updatedAt?: string;
  readonly addresses: readonly string[];
  readonly statuses: readonly string[];
}

/** What a message in a registrar's queue is about (RFC 5730 §2.9.2.3). */
export interface RegistryMessage {
  readonly text: string;
  /** What became of a transfer, as `trnData` says it. */
  readonly transfer?: TransferNews;
  /** What became of an action that was pending, as `panData` says it (RFC 5731 §3.3). */
  readonly pendingAction?: {
    readonly name: string;
    readonly clientTransactionId: string;
    readonly serverTransactionId: string;
    readonly at: string;
  };
  /** The name that the registry changed by itself, as `infData` shows it then. */
  readonly changed?: string;
}

/** A transfer between two registrars (RFC 5731 §3.1.3). */
export interface TransferNews {
  readonly name: string;
  readonly status: string;
  readonly gaining: string;
  readonly requestedAt: string;
  readonly losing: string;
  readonly actedAt: string;
  readonly expiresAt?: string;
}

/** Reads what the registry wrote about a domain: from our own file, whose shape is taken for granted, as below. */
export function decodeDetails(text: string, sponsor: string): DomainDetails {
  const written = JSON.parse(text) as Partial<DomainDetails>;
  return { creator: sponsor, contacts: [], statuses: [], dsData: [], ...written };
}

export function decodeContact(text: string): RegistryContact {
  return JSON.parse(text) as RegistryContact;
}

export function decodeHost(text: string): RegistryHost {
  return JSON.parse(text) as RegistryHost;
}

export function decodeMessage(text: string): RegistryMessage {
  return JSON.parse(text) as RegistryMessage;
}

/** An order that the registry carries out late: its command as it came, and from whom. */
export interface LateCommand {
  readonly registrar: string;
  readonly xml: string;
}

export function decodeLateCommand(text: string): LateCommand {
  return JSON.parse(text) as LateCommand;
}
