import type { Outcome } from "../outcome.ts";

/** An order to register a name. */
export interface RegistrationOrder {
  /** Chosen by us and the same for every repeat of one order (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  readonly years: number;
  /** Host names the registry shall delegate to. */
  readonly nameservers: readonly string[];
}

/** An order to renew a name (EPP `<domain:renew>`, RFC 5731 §3.2.3). */
export interface RenewalOrder {
  /** Chosen by us and the same for every repeat of one order (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  readonly name: string;
  /** The expiry date that is renewed (EPP `curExpDate`): ISO 8601 UTC, of which registrars compare the day. */
  readonly currentExpiresAt: string;
  readonly years: number;
}

/** A name as the registrar holds it (EPP `<domain:info>`, RFC 5731 §3.1.2). */
export interface RegistrarDomain {
  readonly name: string;
  /** The order that created it. */
  readonly clientTransactionId: string;
  /** ISO 8601 UTC with six fractional digits. */
  readonly registeredAt: string;
  /** ISO 8601 UTC with six fractional digits. */
  readonly expiresAt: string;
  readonly nameservers: readonly string[];
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
}

/** Settings of a name at the registrar; what is absent stays. */
export interface RegistrarSettings {
  /** The registrant's data are kept out of the public directory. */
  readonly whoisPrivacy?: boolean;
  /** The name cannot be transferred away (EPP `clientTransferProhibited`, RFC 5731 §2.3). */
  readonly transferLock?: boolean;
}

/** What the registrar holds under a name: the domain, or nothing. */
export type RegistrarHolding =
  { readonly held: true; readonly domain: RegistrarDomain } | { readonly held: false };

/**
 * The registrar, in our words. Every call settles: with a time limit of its own a silent party gives `unknown`.
 * Repeating a call is safe: `register` with the same `clientTransactionId` never creates a second domain, and `renew`
 * renews no expiry date but the one it names.
 */
export interface Registrar {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
  /** Can the name be registered now? (EPP `<domain:check>`) */
  check(name: string): Promise<Outcome<{ readonly available: boolean }>>;
  /** Registers the name, with WHOIS privacy and transfer lock on (EPP `<domain:create>`). */
  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>>;
  /**
   * Renews the name once from the expiry date that is named. A repeat finds another date and is refused as `rejected`,
   * which says nothing about the first: `inquire` tells the date. A renewal cannot be undone.
   */
  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>>;
  /** Asks what the registrar holds under the name, for us. */
  inquire(name: string): Promise<Outcome<RegistrarHolding>>;
  /** Delegates the name to other nameservers (EPP `<domain:update>`). */
  updateNameservers(name: string, nameservers: readonly string[]): Promise<Outcome<RegistrarDomain>>;
  /** Changes settings of the name: all that are given, or none (EPP `<domain:update>`). */
  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>>;
  /** The code with which the name can be transferred (EPP `<domain:authInfo>`). A secret: neither stored nor logged. */
  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>>;
  /** Cancels a registration in its grace period (EPP `<domain:delete>`). A name not held is `done`. */
  cancel(name: string): Promise<Outcome<void>>;
}
