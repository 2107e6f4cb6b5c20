import { accept, reject, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import { isDay } from "../calendar/calendar.ts";
import { vatCountryOf } from "./eu-countries.ts";
import type { TaxRulesEvent } from "./tax-rules.events.ts";

/** Standard rates of member states in basis points, by country; of one country the latest `validFrom` first. */
export type TaxRules = ReadonlyMap<string, readonly StandardRate[]>;

interface StandardRate {
  /** First business date of the rate, YYYY-MM-DD. */
  readonly validFrom: string;
  readonly standardBasisPoints: number;
}

/** Sets standard rates from a business date on; rates that are set already add nothing. */
export type SetTaxRules = Command<
  "SetTaxRules",
  {
    readonly validFrom: string;
    readonly rates: readonly { readonly country: string; readonly standardBasisPoints: number }[];
    readonly reason: string;
  }
>;

/** Rules of the standard VAT rates (stream `taxrules-all`). */
export const taxRules: Decider<SetTaxRules, TaxRules, TaxRulesEvent> = {
  initialState: new Map(),
  decide,
  evolve,
};

/**
 * Returns the standard rate of a member state on a business date in basis points. Before the first rule its first rate applies.
 * @returns undefined where no rule names the country.
 */
export function standardRateOn(rules: TaxRules, country: string, businessDate: string): number | undefined {
  const rates = rules.get(country);
  return (rates?.find(({ validFrom }) => validFrom <= businessDate) ?? rates?.at(-1))?.standardBasisPoints;
}

function decide({ data }: SetTaxRules, state: TaxRules): Decision<TaxRulesEvent> {
  const { validFrom, rates, reason, at } = data;
  const foreign = rates.find(({ country }) => vatCountryOf(country) !== country);
  if (foreign !== undefined)
    return reject("validation-failed", "Rates exist only for member states in the Union's VAT territory.", {
      fieldErrors: { country: ["must be a member state in two capital letters, such as FR; Greece is GR"] },
    });
  if (rates.some(({ standardBasisPoints }) => !isRate(standardBasisPoints)))
    return reject("validation-failed", "A rate is out of range.", {
      fieldErrors: { rateBasisPoints: ["must be 0 to 50 per cent with at most two decimals"] },
    });
  if (!isDay(validFrom))
    return reject("validation-failed", "The first date of the rate is not a valid day.", {
      fieldErrors: { validFrom: ["must be a day such as 2027-01-01"] },
    });
  const changed = rates.filter(
    ({ country, standardBasisPoints }) =>
      state.get(country)?.find((rate) => rate.validFrom === validFrom)?.standardBasisPoints !==
      standardBasisPoints,
  );
  if (changed.length === 0) return accept();
  return accept({ type: "TaxRulesSet", data: { validFrom, rates: changed, reason, setAt: at } });
}

function isRate(basisPoints: number): boolean {
  return Number.isInteger(basisPoints) && basisPoints >= 0 && basisPoints <= 5_000;
}

/** A later event replaces a country's rate of the same date. */
function evolve(state: TaxRules, { data: { validFrom, rates } }: TaxRulesEvent): TaxRules {
  const next = new Map(state);
  for (const { country, standardBasisPoints } of rates) {
    const others = (next.get(country) ?? []).filter((rate) => rate.validFrom !== validFrom);
    const sorted = [...others, { validFrom, standardBasisPoints }].sort((a, b) =>
      b.validFrom.localeCompare(a.validFrom),
    );
    next.set(country, sorted);
  }
  return next;
}
