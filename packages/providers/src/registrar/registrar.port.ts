import type { DelegationSigner, Glue, RegistryFee, RegistryMessageSubject } from "@hostledger/core";

import type { Outcome, RefusalReason } from "../outcome.ts";

/** Registrant of a domain (EPP contact, RFC 5733 §2). Personal data, sent with an order and not stored here. */
export interface Registrant {
  /** Changes with the data; 3 to 16 characters of `A-Z`, `0-9` and `-`. Other installations may use equal ids. */
  readonly id: string;
  readonly kind: "person" | "organisation";
  /** The person, or the organisation's representative. */
  readonly name: string;
  /** Null for a person. */
  readonly organisation: string | null;
  readonly street: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  readonly email: string;
  /** E.164 in EPP's form: `+49.3012345678` (RFC 5733 §2.5). */
  readonly phone: string;
}

/** An order to register a domain. */
export interface RegistrationOrder {
  /** Order id chosen by us, equal for every repeat (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  readonly years: number;
  readonly nameservers: readonly string[];
  /** Absent if the registry requires no registrant. */
  readonly registrant?: Registrant;
}

/** An order to renew a domain (EPP `<domain:renew>`, RFC 5731 §3.2.3). */
export interface RenewalOrder {
  /** Order id chosen by us, equal for every repeat (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  readonly name: string;
  /** Expiry date before the renewal (EPP `curExpDate`): ISO 8601 UTC; registrars compare the day. */
  readonly currentExpiresAt: string;
  readonly years: number;
}

/** Inclusive range of years of one order. */
export interface YearRange {
  readonly least: number;
  readonly most: number;
}

/** An order for which a registry may state a fee. */
export interface PricedOrder {
  readonly kind: "create" | "transfer";
  readonly years: number;
}

export interface Availability {
  readonly available: boolean;
  /** The registry's fee for the order; absent if no order was given or the registry states none. */
  readonly fee?: RegistryFee;
}

/** A domain at the registrar (EPP `<domain:info>`, RFC 5731 §3.1.2). */
export interface RegistrarDomain {
  readonly name: string;
  /** Id of the order that created the domain. */
  readonly clientTransactionId: string;
  /** ISO 8601 UTC with six fractional digits. */
  readonly registeredAt: string;
  /** ISO 8601 UTC with six fractional digits. */
  readonly expiresAt: string;
  /** True if the registry shows no expiry date (RFC 5731 §3.1.2); then `expiresAt` is computed from the registration. */
  readonly isExpiryComputed?: boolean;
  /** True if the registry renewed the domain itself; deletion reverses that (RFC 3915 §3.1, `autoRenewPeriod`). */
  readonly isRenewedUnasked?: boolean;
  /** True if a status of the registry prohibits renewal now (RFC 5731 §2.3). */
  readonly isRenewalForbidden?: boolean;
  readonly nameservers: readonly string[];
  /** DS records; absent if the registry shows none. */
  readonly signers?: readonly DelegationSigner[];
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  /** True if the domain does not resolve; absent if unknown. */
  readonly hold?: boolean;
}

/** Settings of a domain at the registrar; absent settings stay. */
export interface RegistrarSettings {
  /** Hides the registrant in the public directory. */
  readonly whoisPrivacy?: boolean;
  /** Prevents transfers (EPP `clientTransferProhibited`, RFC 5731 §2.3). */
  readonly transferLock?: boolean;
  /** Stops the domain from resolving without preventing renewal (EPP `clientHold`, RFC 5731 §2.3). */
  readonly hold?: boolean;
}

/** An order to transfer a domain from another registrar (EPP `<domain:transfer op="request">`, RFC 5731 §3.2.4). */
export interface TransferOrder {
  /** Order id chosen by us, equal for every repeat (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  /** The authInfo from the losing registrar. A secret, neither stored nor logged. */
  readonly authCode: string;
  /** Absent if the registry requires no registrant. */
  readonly registrant?: Registrant;
}

/** The order and its registrant, for a caller that may have restarted since the order. */
export type TransferQuestion = Pick<TransferOrder, "clientTransactionId" | "registrant"> & {
  /** True if the registry accepted the order. */
  readonly isTaken?: boolean;
};

/** Reason of a refused transfer: wrong authInfo (EPP 2202), not transferable (2303, 2106, 2304), or as any order. */
export type TransferRefusalReason = RefusalReason | "invalid-auth-code" | "not-transferable";

/** Outcome of a transfer order. `pending` (EPP 1001) is answered within days; see `inquireTransfer`. */
export type TransferOutcome =
  | Exclude<Outcome<RegistrarDomain>, { readonly outcome: "refused" }>
  | { readonly outcome: "refused"; readonly reason: TransferRefusalReason; readonly message: string }
  | { readonly outcome: "pending" };

/** State of the latest transfer to us (EPP `trStatus`); `none` also after a cancellation. */
export type TransferState =
  | { readonly state: "none" }
  | { readonly state: "pending"; readonly clientTransactionId: string }
  | { readonly state: "done"; readonly clientTransactionId: string; readonly domain: RegistrarDomain }
  | { readonly state: "refused"; readonly clientTransactionId: string; readonly message: string };

/** A poll message of a registry (EPP `<poll>`, RFC 5730 §2.9.2.3). */
export interface RegistryMessage {
  /** `Registrar.name` of the queue. */
  readonly registrar: string;
  /** Id at the registry, unique within the queue; at most {@link longestMessageId} characters. */
  readonly id: string;
  readonly about: RegistryMessageSubject;
  /** Domain in lower case, unvalidated; undefined if the message concerns none or was not understood. */
  readonly name: string | undefined;
  /** The registry's text for people; at most 300 characters. */
  readonly words: string;
}

/** Maximum characters of a message id. */
export const longestMessageId = 200;

/** Result of an inquiry: the domain, or not held. */
export type RegistrarHolding =
  | { readonly held: true; readonly domain: RegistrarDomain }
  | { readonly held: false };

/**
 * Port to a registrar. Every call resolves; without an answer in time, as `unknown`. Calls are safe to repeat:
 * `register` creates one domain per `clientTransactionId`, and `renew` renews only from the given expiry date.
 */
export interface Registrar {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
  /** Returns true if an order needs a registrant, from the configuration. */
  needsRegistrant(name: string): boolean;
  /** Years that an order may request, from the configuration. */
  readonly years: YearRange;
  /** Asks whether a name is available (EPP `<domain:check>`). @param order order whose fee is asked for (RFC 8748) */
  check(name: string, order?: PricedOrder): Promise<Outcome<Availability>>;
  /** Registers a domain with WHOIS privacy and transfer lock (EPP `<domain:create>`). */
  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>>;
  /** Renews once from the given expiry date. A repeat is `rejected`; `inquire` then returns the date. */
  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>>;
  /** Restores a domain in redemption (RFC 3915 §4.2.5), then renews it once from the given expiry date. */
  restore(order: RenewalOrder): Promise<Outcome<RegistrarDomain>>;
  /** Asks whether we hold the domain. @param clientTransactionId expected order, which some registries require */
  inquire(name: string, clientTransactionId?: string): Promise<Outcome<RegistrarHolding>>;
  /**
   * Changes nameservers and DS records at once (EPP `<domain:update>`, RFC 5910 §5.2.5).
   *
   * @param signers absent to keep the present DS records; ignored by registries without DNSSEC.
   * @param glue addresses of nameservers below the domain. A registry refuses such a nameserver without an address.
   */
  updateNameservers(
    name: string,
    nameservers: readonly string[],
    signers?: readonly DelegationSigner[],
    glue?: Glue,
  ): Promise<Outcome<RegistrarDomain>>;
  /** Changes all given settings, or none (EPP `<domain:update>`). */
  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>>;
  /** Returns the domain's authInfo (EPP `<domain:authInfo>`). A secret, neither stored nor logged. */
  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>>;
  /** Deletes a domain (EPP `<domain:delete>`), after its first days with a redemption period; `done` if not held. */
  cancel(name: string): Promise<Outcome<void>>;
  /**
   * Orders a transfer to us. When completed, the domain has this order's id, a further year, WHOIS privacy, transfer
   * lock and its former delegation. A repeat returns the first order's state; another order while one is pending is
   * `rejected`.
   */
  transferIn(order: TransferOrder): Promise<TransferOutcome>;
  /** Asks for a transfer's state (EPP `<domain:transfer op="query">`). @param order expected order, with the registrant */
  inquireTransfer(name: string, order?: TransferQuestion): Promise<Outcome<TransferState>>;
  /** Cancels a pending transfer (EPP `op="cancel"`); `done` if none is pending, `rejected` if completed. */
  cancelTransfer(name: string): Promise<Outcome<void>>;
  /** Returns the names of our domains. Absent if they cannot be listed, as in EPP. */
  list?(): Promise<Outcome<readonly string[]>>;
  /** Returns the first poll message of each queue, which stays until acknowledged; absent without queues. */
  messages?(): Promise<Outcome<readonly RegistryMessage[]>>;
  /** Removes a message from its queue; `done` if missing. */
  acknowledge?(message: Pick<RegistryMessage, "registrar" | "id">): Promise<Outcome<void>>;
}
