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

/** What the registrar holds under a name: the domain, or nothing. */
export type RegistrarHolding =
  { readonly held: true; readonly domain: RegistrarDomain } | { readonly held: false };

/**
 * The registrar, in our words. Every call settles: with a time limit of its own a silent party gives `unknown`.
 * Repeating a call is safe: `register` with the same `clientTransactionId` never creates a second domain.
 */
export interface Registrar {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
  /** Can the name be registered now? (EPP `<domain:check>`) */
  check(name: string): Promise<Outcome<{ readonly available: boolean }>>;
  /** Registers the name, with WHOIS privacy and transfer lock on (EPP `<domain:create>`). */
  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>>;
  /** Asks what the registrar holds under the name, for us. */
  inquire(name: string): Promise<Outcome<RegistrarHolding>>;
  /** Delegates the name to other nameservers (EPP `<domain:update>`). */
  updateNameservers(name: string, nameservers: readonly string[]): Promise<Outcome<RegistrarDomain>>;
  /** Cancels a registration in its grace period (EPP `<domain:delete>`). A name not held is `done`. */
  cancel(name: string): Promise<Outcome<void>>;
}
