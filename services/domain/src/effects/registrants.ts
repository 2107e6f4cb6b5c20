import {
  eppPhone,
  missingOfRegistrant,
  notAvailableText,
  rejection,
  type AccountProfile,
  type Rejection,
} from "@hostledger/core";
import type { Accounts } from "@hostledger/store";
import type { Registrant, Registrar } from "@hostledger/providers";

/** Registrant to add to an order; nothing if the registrar needs none; or why the order cannot be made. */
export type FoundRegistrant =
  | { readonly isKnown: true; readonly of: { readonly registrant?: Registrant } }
  | { readonly isKnown: false; readonly refusal: Rejection };

/** An order that may need a registrant. */
export interface OrderedName {
  readonly name: string;
  readonly accountId: number;
}

/**
 * Finds the registrant of orders. Called when an order is sent: the customer's data goes to the registrar, and no
 * event of the domain stores it.
 */
export interface Registrants {
  /**
   * @param registrar gets the order.
   * @throws Error where the account cannot be read.
   */
  find(registrar: Pick<Registrar, "needsRegistrant">, order: OrderedName): Promise<FoundRegistrant>;
}

/** Reads registrants out of the profiles of accounts. */
export function createRegistrants(accounts: Pick<Accounts, "find">): Registrants {
  return {
    async find(registrar, { name, accountId }) {
      if (!registrar.needsRegistrant(name)) return { isKnown: true, of: {} };
      const found = await accounts.find(accountId);
      return found === undefined ? refused(noAccount) : registrantOf(accountId, found.account.profile);
    },
  };
}

function registrantOf(accountId: number, profile: AccountProfile): FoundRegistrant {
  const missing = missingOfRegistrant(profile);
  if (missing.length > 0) return refused(incomplete(missing));
  const phone = eppPhone(profile.phone);
  const isReadable = !Object.values(profile).includes(notAvailableText);
  if (!isReadable || phone === undefined) return refused(unreadable);
  const { kind, name, organisation, street, city, postal_code: postalCode, country, email } = profile;
  const isOrganisation = kind === "organisation";
  const registrant = {
    id: registrantId(accountId, profile.version),
    kind: isOrganisation ? kind : "person",
    name,
    // Many registries treat an organisation as the holder, even if a person is named.
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

const noAccount = rejection("not-found", "There is no such account.");

const unreadable = rejection(
  "temporarily-unavailable",
  "The account's profile cannot be read at present: the key of its personal data is missing.",
);

function incomplete(missing: readonly string[]): Rejection {
  const message = `The registry requires the registrant's data; the account's profile lacks ${missing.join(", ")}.`;
  const fieldErrors = Object.fromEntries(missing.map((field) => [field, [`The field ${field} is needed.`]]));
  return rejection("profile-incomplete", message, { fieldErrors });
}

function refused(refusal: Rejection): FoundRegistrant {
  return { isKnown: false, refusal };
}
