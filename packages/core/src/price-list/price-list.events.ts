/** The net prices of an extension were set, in cents (EUR): a year's registration, a year's renewal, one transfer. */
export interface PriceSet {
  readonly type: "PriceSet";
  readonly data: {
    readonly tld: string;
    readonly registrationCents: string;
    readonly renewalCents: string;
    readonly transferCents: string;
    /** False: no longer sold. */
    readonly active: boolean;
    readonly setAt: string;
  };
}

/** Everything that happens to one extension's prices. */
export type PriceListEvent = PriceSet;
