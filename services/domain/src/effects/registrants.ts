import { eppPhone, rejection, type Rejection } from "@hostledger/core";
import type { account } from "@hostledger/protocol";
import type { Registrant, Registrar } from "@hostledger/providers";
import type { AccountClient } from "@hostledger/rpc";

/** Who an order is for: what is added to it, nothing where the registrar does not want to know; or why it cannot be made. */
export type FoundRegistrant =
  | { readonly isKnown: true; readonly of: { readonly registrant?: Registrant } }
  | { readonly isKnown: false; readonly refusal: Rejection };

/** An order that may have to name who it is for. */
export interface OrderedName {
  readonly name: string;
  readonly accountId: number;
  /** The run, under whose id the account service is asked. */
  readonly clientTransactionId: string;
}

/**
 * Says who orders are for. It is asked at the moment of the order: what the customer is goes to the registrar and is kept in
 * none of the domain's facts.
 */
export interface Registrants {
  /**
   * @param registrar gets the order.
   * @throws ConnectError where the account service refuses or does not answer.
   */
  find(registrar: Pick<Registrar, "needsRegistrant">, order: OrderedName): Promise<FoundRegistrant>;
}

/** Reads registrants out of the profiles that the account service keeps. */
export function createRegistrants(accounts: AccountClient): Registrants {
  return {
    async find(registrar, { name, accountId, clientTransactionId }) {
      if (!registrar.needsRegistrant(name)) return { isKnown: true, of: {} };
      const options = accounts.callOptions({ correlationId: clientTransactionId });
      return registrantOf(
        accountId,
        await accounts.rpc.getProfile({ accountId: BigInt(accountId) }, options),
      );
    },
  };
}

function registrantOf(
  accountId: number,
  { profile, version, missing, readable }: account.GetProfileResponse,
): FoundRegistrant {
  if (profile === undefined || missing.length > 0) return refused(incomplete(missing));
  const phone = eppPhone(profile.phone);
  if (!readable || phone === undefined) return refused(unreadable);
  const { kind, name, organisation, street, city, postalCode, country, email } = profile;
  const isOrganisation = kind === "organisation";
  const registrant = {
    id: registrantId(accountId, version),
    kind: isOrganisation ? kind : "person",
    name,
    // Many registries take an organisation for the holder, whoever else is named.
    organisation: isOrganisation && organisation !== "" ? organisation : null,
    street,
    city,
    postalCode,
    country,
    email,
    phone,
  } as const;
  return { isKnown: true, of: { registrant } };
}

/** The same for the same data, and never that of another account here: EPP's contact ids are made of it and the installation's part. */
function registrantId(accountId: number, version: number): string {
  return `${accountId.toString(36)}-${version.toString(36)}`.toUpperCase();
}

const unreadable = rejection(
  "temporarily-unavailable",
  "The account's profile cannot be read at present: the key of its personal data is missing.",
);

function incomplete(missing: readonly string[]): Rejection {
  const fields = missing.length === 0 ? ["name"] : missing;
  const message = `The registry wants to know who holds the name; the account's profile lacks ${fields.join(", ")}.`;
  const fieldErrors = Object.fromEntries(fields.map((field) => [field, [`The field ${field} is needed.`]]));
  return rejection("profile-incomplete", message, { fieldErrors });
}

function refused(refusal: Rejection): FoundRegistrant {
  return { isKnown: false, refusal };
}
