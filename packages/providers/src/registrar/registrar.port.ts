import type { DelegationSigner, Glue, RegistryFee, RegistryMessageSubject } from "@hostledger/core";

import type { Outcome, RefusalReason } from "../outcome.ts";

/**
 * Who holds a name, as a registry wants to know it (EPP contact, RFC 5733 §2): personal data, which an order carries to the
 * registrar and nothing here keeps.
 */
export interface Registrant {
  /**
   * The same for every order with the same data, another as soon as they change; 3 to 16 of `A-Z`, `0-9` and `-`. Another
   * installation may have the same: a registrar adds what tells them apart.
   */
  readonly id: string;
  readonly kind: "person" | "organisation";
  /** The person, or who speaks for the organisation. */
  readonly name: string;
  /** Null for a person. */
  readonly organisation: string | null;
  readonly street: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  readonly email: string;
  /** E.164 as EPP writes it: `+49.3012345678` (RFC 5733 §2.5). */
  readonly phone: string;
}

/** An order to register a name. */
export interface RegistrationOrder {
  /** Chosen by us and the same for every repeat of one order (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  readonly years: number;
  /** Host names the registry shall delegate to. */
  readonly nameservers: readonly string[];
  /** Absent where the extension's registry wants to know nobody. */
  readonly registrant?: Registrant;
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

/** Years that one order may have, both included. */
export interface YearRange {
  readonly least: number;
  readonly most: number;
}

/** An order as registries have prices for it. */
export interface PricedOrder {
  readonly kind: "create" | "transfer";
  readonly years: number;
}

/** Whether a name can be registered. */
export interface Availability {
  readonly available: boolean;
  /** What the order that was named costs at the registry; absent where none was named, or the registry does not say. */
  readonly fee?: RegistryFee;
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
  /** The registry does not tell the expiry date (RFC 5731 §3.1.2): `expiresAt` is computed from the date of registration. */
  readonly isExpiryComputed?: boolean;
  /** Its registry renewed it at its expiry, unasked, and takes that back with its deletion (RFC 3915 §3.1, `autoRenewPeriod`). */
  readonly isRenewedUnasked?: boolean;
  /** Its registry renews it for nobody now (EPP `clientRenewProhibited`, `serverRenewProhibited`, `pendingTransfer`, RFC 5731 §2.3). */
  readonly isRenewalForbidden?: boolean;
  readonly nameservers: readonly string[];
  /** Absent where the registry says nothing of signers. */
  readonly signers?: readonly DelegationSigner[];
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  /** It does not resolve. Absent where the registrar does not say. */
  readonly hold?: boolean;
}

/** Settings of a name at the registrar; what is absent stays. */
export interface RegistrarSettings {
  /** The registrant's data are kept out of the public directory. */
  readonly whoisPrivacy?: boolean;
  /** The name cannot be transferred away (EPP `clientTransferProhibited`, RFC 5731 §2.3). */
  readonly transferLock?: boolean;
  /** The name does not resolve, and is renewed all the same (EPP `clientHold`, RFC 5731 §2.3). */
  readonly hold?: boolean;
}

/** An order to take a name over from the registrar that holds it (EPP `<domain:transfer op="request">`, RFC 5731 §3.2.4). */
export interface TransferOrder {
  /** Chosen by us and the same for every repeat of one order (EPP `clTRID`, RFC 5730 §2.5). */
  readonly clientTransactionId: string;
  /** Lower case, without a trailing dot. */
  readonly name: string;
  /** The code that the losing registrar gave its customer. A secret: neither stored nor logged. */
  readonly authCode: string;
  /** As at a registration. */
  readonly registrant?: Registrant;
}

/** Which order is meant, and who the name is for: whoever asks may have been started since it was ordered. */
export type TransferQuestion = Pick<TransferOrder, "clientTransactionId" | "registrant"> & {
  /** The registry has said that it took the order down. */
  readonly isTaken?: boolean;
};

/**
 * Why a transfer is certainly not carried out: as any order, or the code is wrong (EPP 2202), or nobody holds the name,
 * we do, or the registry forbids it (EPP 2303, 2106, 2304).
 */
export type TransferRefusalReason = RefusalReason | "invalid-auth-code" | "not-transferable";

/**
 * What is known after ordering a transfer. Beside the three outcomes of any order there is `pending` (EPP 1001): the
 * registry took it down, and the losing registrar has days to answer; `inquireTransfer` tells what became of it.
 */
export type TransferOutcome =
  | Exclude<Outcome<RegistrarDomain>, { readonly outcome: "refused" }>
  | { readonly outcome: "refused"; readonly reason: TransferRefusalReason; readonly message: string }
  | { readonly outcome: "pending" };

/** What has become of the latest transfer of a name to us (EPP `trStatus`); `none` is also one that was withdrawn. */
export type TransferState =
  | { readonly state: "none" }
  | { readonly state: "pending"; readonly clientTransactionId: string }
  | { readonly state: "done"; readonly clientTransactionId: string; readonly domain: RegistrarDomain }
  | { readonly state: "refused"; readonly clientTransactionId: string; readonly message: string };

/** What a registry says unasked, in its queue of messages (EPP `<poll>`, RFC 5730 §2.9.2.3). */
export interface RegistryMessage {
  /** `Registrar.name` of whose queue it is in. */
  readonly registrar: string;
  /** The registry's own: no two messages of a queue share one. At most {@link longestMessageId} characters. */
  readonly id: string;
  readonly about: RegistryMessageSubject;
  /** In lower case; undefined where it is about no name that was understood. What came is not checked to be one. */
  readonly name: string | undefined;
  /** The registry's words, for people; at most 300 characters. */
  readonly words: string;
}

/** Longer ids are no registry's. */
export const longestMessageId = 200;

/** What the registrar holds under a name: the domain, or nothing. */
export type RegistrarHolding =
  | { readonly held: true; readonly domain: RegistrarDomain }
  | { readonly held: false };

/**
 * The registrar, in our words. Every call settles: with a time limit of its own a silent party gives `unknown`.
 * Repeating a call is safe: `register` with the same `clientTransactionId` never creates a second domain, and `renew`
 * renews no expiry date but the one it names.
 */
export interface Registrar {
  /** Shown to customers as a domain's `provider`. */
  readonly name: string;
  /** Does an order for the name need a registrant? Known without a question: what a registry wants to know is configured. */
  needsRegistrant(name: string): boolean;
  /** What an order may ask for. Known without a question, too. */
  readonly years: YearRange;
  /**
   * Can the name be registered now? (EPP `<domain:check>`)
   *
   * @param order what it is asked for: registries that have prices for single names tell this one's (RFC 8748).
   */
  check(name: string, order?: PricedOrder): Promise<Outcome<Availability>>;
  /** Registers the name, with WHOIS privacy and transfer lock on (EPP `<domain:create>`). */
  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>>;
  /**
   * Renews the name once from the expiry date that is named. A repeat finds another date and is refused as `rejected`,
   * which says nothing about the first: `inquire` tells the date. A renewal cannot be undone.
   */
  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>>;
  /**
   * Has a name back that was cancelled and that its registry still withholds (RFC 3915 §4.2.5), and renews it from the expiry date
   * that is named. What is not withheld is renewed, so that a repeat is as good as one of `renew`.
   */
  restore(order: RenewalOrder): Promise<Outcome<RegistrarDomain>>;
  /**
   * Asks what the registrar holds under the name, for us.
   *
   * @param clientTransactionId the order that is meant, where one is: some registries tell of an order only to who names it.
   */
  inquire(name: string, clientTransactionId?: string): Promise<Outcome<RegistrarHolding>>;
  /**
   * Delegates the name to these nameservers, and with these signers at the same moment (EPP `<domain:update>`, RFC 5910 §5.2.5).
   *
   * @param signers absent: those that it has stay. A registry that knows none has none.
   * @param glue addresses of those nameservers that are below the name. A registry refuses one of which it knows no address.
   */
  updateNameservers(
    name: string,
    nameservers: readonly string[],
    signers?: readonly DelegationSigner[],
    glue?: Glue,
  ): Promise<Outcome<RegistrarDomain>>;
  /** Changes settings of the name: all that are given, or none (EPP `<domain:update>`). */
  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>>;
  /** The code with which the name can be transferred (EPP `<domain:authInfo>`). A secret: neither stored nor logged. */
  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>>;
  /**
   * Gives a name up (EPP `<domain:delete>`). One that is not held is `done`. What was registered some days ago or longer its
   * registry withholds from others for a while: it is not held meanwhile, nor free.
   */
  cancel(name: string): Promise<Outcome<void>>;
  /**
   * Orders the transfer of a name to us. Once it is done, the name is held with this order's id, one year is added to
   * its term, and it has WHOIS privacy and transfer lock on; its delegation stays. A repeat is answered with the state
   * of the first. Another order while one is pending is refused as `rejected`.
   */
  transferIn(order: TransferOrder): Promise<TransferOutcome>;
  /**
   * Asks what has become of the transfer of the name to us (EPP `<domain:transfer op="query">`).
   *
   * @param order the one that is meant: EPP does not tell it, and a name has one under way at a time. Once the name is here, it
   * gets the order's registrant.
   */
  inquireTransfer(name: string, order?: TransferQuestion): Promise<Outcome<TransferState>>;
  /**
   * Withdraws a pending transfer (EPP `<domain:transfer op="cancel">`). None pending is `done`; one that was carried out
   * cannot be taken back and is refused as `rejected`.
   */
  cancelTransfer(name: string): Promise<Outcome<void>>;
  /** The names that it holds for us. Absent where nobody can be asked: EPP has no such question. */
  list?(): Promise<Outcome<readonly string[]>>;
  /**
   * The first message of each queue that waits for us, which stays there until it is acknowledged. What a message says may have
   * changed since: whoever acts asks first. Absent, as `acknowledge`, where registries say nothing unasked.
   */
  messages?(): Promise<Outcome<readonly RegistryMessage[]>>;
  /** Takes a message off its queue. One that is not there is `done`. */
  acknowledge?(message: Pick<RegistryMessage, "registrar" | "id">): Promise<Outcome<void>>;
}
