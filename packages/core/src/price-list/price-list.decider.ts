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
import { refuseAnnouncement } from "../pricing/announcement.ts";
import {
  genericLifeCycle,
  longestLifeCycleDays,
  usualLifeCycle,
  type ExtensionLifeCycle,
} from "../pricing/extension-life-cycle.ts";
import type { ExtensionLifeCycleSet, PriceListEvent, PriceSet } from "./price-list.events.ts";

/** Net prices of an extension in cents (EUR). */
export interface Prices {
  readonly registrationCents: Cents;
  readonly renewalCents: Cents;
  readonly transferCents: Cents;
  readonly active: boolean;
  readonly registrar: string | null;
}

/** Life cycle of an extension's expired names, and the price of a restoration. */
export interface EndTerms extends ExtensionLifeCycle {
  readonly restoreCents: Cents | null;
}

/** Terms of an extension for which staff set none. */
export const genericEndTerms: EndTerms = { ...genericLifeCycle, restoreCents: null };

/** Sets prices; omitted values stay. The first command needs all three prices. New end terms default to the registry's. */
export type SetPrice = Command<
  "SetPrice",
  Partial<Prices> & {
    readonly tld: string;
    readonly endTerms: Partial<EndTerms>;
    /** Instant at which the prices come into force. If omitted, they apply at once and replace announced prices. */
    readonly validFrom?: string;
  }
>;

export interface AnnouncedPrices extends Prices {
  readonly validFrom: string;
}

export type PriceListState =
  | { readonly status: "unpriced" }
  | ({
      readonly status: "priced";
      readonly endTerms: EndTerms;
      readonly announced: AnnouncedPrices | null;
    } & Prices);

/** Rules of an extension's prices (stream `pricelist-<tld>`). */
export const priceList: Decider<SetPrice, PriceListState, PriceListEvent> = {
  initialState: { status: "unpriced" },
  decide,
  evolve,
};

/** Returns the prices in force at an instant, which may be the announced prices. */
export function pricesAt(state: PriceListState, at: string): PriceListState {
  if (state.status === "unpriced" || state.announced === null || state.announced.validFrom > at) return state;
  const { validFrom: _since, ...prices } = state.announced;
  return { ...state, ...prices, announced: null };
}

export function endTermsOf(state: PriceListState): EndTerms {
  return state.status === "priced" ? state.endTerms : genericEndTerms;
}

type WholePrices = SetPrice["data"] & Prices;

/** Fills omitted values with the prices in force when the command takes effect; undefined if a price is missing. */
function completed(data: SetPrice["data"], state: PriceListState): WholePrices | undefined {
  const present = pricesAt(state, data.validFrom ?? data.at);
  if (present.status === "priced") return { ...pricesIn(present), ...data };
  const { registrationCents, renewalCents, transferCents, active = true, registrar = null } = data;
  if (registrationCents === undefined || renewalCents === undefined || transferCents === undefined)
    return undefined;
  return { ...data, registrationCents, renewalCents, transferCents, active, registrar };
}

function decide({ data: asked }: SetPrice, before: PriceListState): Decision<PriceListEvent> {
  const state = pricesAt(before, asked.at);
  const data = completed(asked, before);
  if (data === undefined) {
    const missing = (["registrationCents", "renewalCents", "transferCents"] as const).filter(
      (field) => asked[field] === undefined,
    );
    return reject("validation-failed", `The extension ${asked.tld} has no prices yet: name all three.`, {
      fieldErrors: Object.fromEntries(missing.map((field) => [field, ["is missing"]])),
    });
  }
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
  if (data.validFrom !== undefined) return announce({ ...data, validFrom: data.validFrom }, before);
  const events: PriceListEvent[] = [];
  const isAnnounced = state.status === "priced" && state.announced !== null;
  if (state.status !== "priced" || isAnnounced || !samePrices(state, data)) events.push(priceSet(data));
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

/** Announces prices. First sets announced prices that are already in force, because there is one announcement at a time. */
function announce(
  data: WholePrices & { readonly validFrom: string },
  before: PriceListState,
): Decision<PriceListEvent> {
  const { validFrom, endTerms, at } = data;
  const state = pricesAt(before, at);
  const refuse = (message: string, field: string) =>
    reject("validation-failed", message, { fieldErrors: { [field]: [message] } });
  const refusal = refuseAnnouncement(validFrom, at);
  if (refusal !== undefined) return refusal;
  if (Object.keys(endTerms).length > 0)
    return refuse(
      "The days of grace and the price of a restoration take effect at once: leave the start date out.",
      "days",
    );
  if (state.status === "unpriced")
    return refuse(
      "The first prices of an extension take effect at once: leave the start date out.",
      "valid_from",
    );
  const { announced } = state;
  if (announced?.validFrom === validFrom && samePrices(announced, data)) return accept();
  const inForce = state === before ? [] : [priceSet({ ...data, ...pricesIn(state) })];
  return accept(...inForce, { type: "PriceAnnounced", data: { ...priceSet(data).data, validFrom } });
}

function pricesIn({ registrationCents, renewalCents, transferCents, active, registrar }: Prices): Prices {
  return { registrationCents, renewalCents, transferCents, active, registrar };
}

function usualTerms(tld: string): EndTerms {
  return { ...usualLifeCycle(tld), restoreCents: null };
}

function priceSet(data: WholePrices): PriceSet {
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
    case "PriceSet":
      return { status: "priced", ...pricesOf(event.data), endTerms: endTermsOf(state), announced: null };
    case "PriceAnnounced":
      if (state.status !== "priced") throw new CorruptStreamError(event.type, state.status);
      return {
        ...state,
        announced: { ...pricesOf(event.data), validFrom: event.data.validFrom },
      };
    case "ExtensionLifeCycleSet":
      if (state.status !== "priced") throw new CorruptStreamError(event.type, state.status);
      return { ...state, endTerms: endTermsIn(event.data) };
    default:
      return assertNever(event);
  }
}

function pricesOf(data: PriceSet["data"]): Prices {
  return {
    registrationCents: BigInt(data.registrationCents),
    renewalCents: BigInt(data.renewalCents),
    transferCents: BigInt(data.transferCents),
    active: data.active,
    registrar: data.registrar,
  };
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
