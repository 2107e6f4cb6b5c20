import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import { maximumCents, type Cents } from "../money/money.ts";
import {
  genericLifeCycle,
  longestLifeCycleDays,
  usualLifeCycle,
  type ExtensionLifeCycle,
} from "../pricing/extension-life-cycle.ts";
import type { ExtensionLifeCycleSet, PriceListEvent, PriceSet } from "./price-list.events.ts";

/** Net prices of one extension in cents (EUR). */
export interface Prices {
  readonly registrationCents: Cents;
  readonly renewalCents: Cents;
  readonly transferCents: Cents;
  readonly active: boolean;
  /** The registrar that gets orders of the extension; null: the one that is configured for all. */
  readonly registrar: string | null;
}

/** What becomes of an extension's names that nobody renews, and what a restoration costs. */
export interface EndTerms extends ExtensionLifeCycle {
  /** Net price in cents (EUR); null: none is sold. */
  readonly restoreCents: Cents | null;
}

/** Of an extension of which nothing was said. */
export const genericEndTerms: EndTerms = { ...genericLifeCycle, restoreCents: null };

/** Sets the prices of an extension. What is not said of its names' end stays as it is; at first it is as its registry does it. */
export type SetPrice = Command<
  "SetPrice",
  Prices & { readonly tld: string; readonly endTerms: Partial<EndTerms> }
>;

/** One extension: never priced, or with the prices in force. */
export type PriceListState =
  { readonly status: "unpriced" } | ({ readonly status: "priced"; readonly endTerms: EndTerms } & Prices);

/** The prices of one extension (stream `pricelist-<tld>`). */
export const priceList: Decider<SetPrice, PriceListState, PriceListEvent> = {
  initialState: { status: "unpriced" },
  decide,
  evolve,
};

/** What becomes of names of the extension that nobody renews. */
export function endTermsOf(state: PriceListState): EndTerms {
  return state.status === "priced" ? state.endTerms : genericEndTerms;
}

function decide({ data }: SetPrice, state: PriceListState): Decision<PriceListEvent> {
  const presentTerms = state.status === "priced" ? state.endTerms : usualTerms(data.tld);
  const endTerms = { ...presentTerms, ...data.endTerms };
  const { graceDays, redemptionDays, pendingDeleteDays, restoreCents } = endTerms;
  const amounts = [data.registrationCents, data.renewalCents, data.transferCents, restoreCents ?? 0n];
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
  if (![graceDays, redemptionDays, pendingDeleteDays].every(isNumberOfDays)) {
    return reject("validation-failed", "A number of days is out of range.", {
      fieldErrors: { days: [`must be whole numbers from 0 to ${String(longestLifeCycleDays)}`] },
    });
  }
  const events: PriceListEvent[] = [];
  if (state.status !== "priced" || !samePrices(state, data)) events.push(priceSet(data));
  if (!sameEndTerms(endTermsOf(state), endTerms))
    events.push({
      type: "ExtensionLifeCycleSet",
      data: {
        tld: data.tld,
        graceDays,
        redemptionDays,
        pendingDeleteDays,
        restoreCents: restoreCents === null ? null : String(restoreCents),
        setAt: data.at,
      },
    });
  return accept(...events);
}

function usualTerms(tld: string): EndTerms {
  return { ...usualLifeCycle(tld), restoreCents: null };
}

function priceSet(data: SetPrice["data"]): PriceSet {
  return {
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
  };
}

function isNumberOfDays(days: number): boolean {
  return Number.isInteger(days) && days >= 0 && days <= longestLifeCycleDays;
}

function evolve(state: PriceListState, event: PriceListEvent): PriceListState {
  switch (event.type) {
    case "PriceSet": {
      const { data } = event;
      return {
        status: "priced",
        registrationCents: BigInt(data.registrationCents),
        renewalCents: BigInt(data.renewalCents),
        transferCents: BigInt(data.transferCents),
        active: data.active,
        registrar: data.registrar,
        endTerms: endTermsOf(state),
      };
    }
    case "ExtensionLifeCycleSet":
      if (state.status !== "priced") throw new CorruptStreamError(event.type, state.status);
      return { ...state, endTerms: endTermsIn(event.data) };
    default:
      return assertNever(event);
  }
}

function endTermsIn({
  graceDays,
  redemptionDays,
  pendingDeleteDays,
  restoreCents,
}: ExtensionLifeCycleSet["data"]): EndTerms {
  const restore = restoreCents === null ? null : BigInt(restoreCents);
  return { graceDays, redemptionDays, pendingDeleteDays, restoreCents: restore };
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

function sameEndTerms(left: EndTerms, right: EndTerms): boolean {
  return (
    left.graceDays === right.graceDays &&
    left.redemptionDays === right.redemptionDays &&
    left.pendingDeleteDays === right.pendingDeleteDays &&
    left.restoreCents === right.restoreCents
  );
}
