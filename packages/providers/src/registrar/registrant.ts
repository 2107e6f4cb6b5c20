/**
 * Who holds a name, as a registry wants to know it (EPP contact, RFC 5733 §2): personal data, which an order carries to the
 * registrar and nothing here keeps.
 */
export interface Registrant {
  /** The same for every order with the same data, another as soon as they change; 3 to 16 of `A-Z`, `0-9` and `-`, as EPP's contact ids are. */
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
