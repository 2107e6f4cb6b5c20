import { type Command, accept, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { maximumCents, type Cents } from "../money/money.ts";
import type { PriceListEvent } from "./price-list.events.ts";

/** Net prices of one extension in cents (EUR). */
export interface Prices {
  readonly registrationCents: Cents;
  readonly renewalCents: Cents;
  readonly transferCents: Cents;
  readonly active: boolean;
  /** The registrar that gets orders of the extension; null: the one that is configured for all. */
  readonly registrar: string | null;
}

/** Sets the prices of an extension. */
export type SetPrice = Command<"SetPrice", Prices & { readonly tld: string }>;

/** One extension: never priced, or with the prices in force. */
export type PriceListState = { readonly status: "unpriced" } | ({ readonly status: "priced" } & Prices);

/** The prices of one extension (stream `pricelist-<tld>`). */
export const priceList: Decider<SetPrice, PriceListState, PriceListEvent> = {
  initialState: { status: "unpriced" },
  decide,
  evolve,
};

function decide({ data }: SetPrice, state: PriceListState): Decision<PriceListEvent> {
  const amounts = [data.registrationCents, data.renewalCents, data.transferCents];
  if (!/^[a-z]{2,63}$/.test(data.tld)) {
    return reject("validation-failed", "The extension is not a top-level label.", {
      fieldErrors: { tld: ["must be 2 to 63 letters a to z, without a dot"] },
    });
  }
  if (amounts.some((cents) => cents < 0n || cents > maximumCents)) {
    return reject("validation-failed", "A price is out of range.", {
      fieldErrors: { price: ["must not be negative, and at most one billion euros"] },
    });
  }
  if (state.status === "priced" && samePrices(state, data)) return accept();
  return accept({
    type: "PriceSet",
    data: {
      tld: data.tld,
      registrationCents: String(data.registrationCents),
      renewalCents: String(data.renewalCents),
      transferCents: String(data.transferCents),
      active: data.active,
      registrar: data.registrar,
      setAt: data.at,
    },
  });
}

function evolve(_state: PriceListState, { data }: PriceListEvent): PriceListState {
  return {
    status: "priced",
    registrationCents: BigInt(data.registrationCents),
    renewalCents: BigInt(data.renewalCents),
    transferCents: BigInt(data.transferCents),
    active: data.active,
    registrar: data.registrar,
  };
}

function samePrices(left: Prices, right: Prices): boolean {
  return (
    left.registrationCents === right.registrationCents &&
    left.renewalCents === right.renewalCents &&
    left.transferCents === right.transferCents &&
    left.active === right.active &&
    left.registrar === right.registrar
  );
}
