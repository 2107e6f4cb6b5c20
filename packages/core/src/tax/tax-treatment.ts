import { vatCountryOf } from "./eu-countries.ts";
import { standardRateOn, type TaxRules } from "./tax-rules.decider.ts";

/** Category of VAT: standard rate, reverse charge, outside the scope, exempt (EN 16931, BT-151; UNTDID 5305). */
export type TaxCategory = "S" | "AE" | "O" | "E";

/** Why a document has its category and rate. */
export type TaxReason =
  | "flat"
  | "domestic"
  | "seller-rate"
  | "oss"
  | "reverse-charge"
  | "outside-eu"
  | "small-business"
  | "exempted";

/** Tax treatment of a document. Frozen in the document. */
export interface TaxTreatment {
  readonly category: TaxCategory;
  /** Country whose VAT applies, ISO 3166-1 alpha-2; the seller's country if no VAT is due. */
  readonly country: string;
  /** 1 900 is 19 %. */
  readonly rateBasisPoints: number;
  readonly reason: TaxReason;
  /** Text that the law requires on the document, in its language; empty at a standard rate. */
  readonly legalText: string;
}

/** `flat`: the specification's rule, 19 % unless exempt. `eu`: the rules of the Union. */
export type TaxMode = "flat" | "eu";

export type DocumentLanguage = "de" | "en";

/** Data of the seller that decides its taxes. */
export interface TaxedSeller {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** True for a small business that charges no VAT (§19 UStG; Directive 2006/112/EC, Article 284). */
  readonly isSmallBusiness: boolean;
  /** First business date on which consumers in other member states pay their own rate; null before. */
  readonly ossFrom: string | null;
  /** Text of documents to exempt customers (`HOSTLEDGER_SELLER_EXEMPTION_REASON`). */
  readonly exemptionReason: string;
}

/** Data of the buyer that decides its taxes. Unknown texts are empty. */
export interface TaxedBuyer {
  readonly kind: "person" | "organisation" | null;
  readonly country: string;
  /** True if the profile's VAT id counts as checked on the business date. */
  readonly hasCheckedVatId: boolean;
  /** True if staff exempted the account. */
  readonly isExempt: boolean;
  /** Fields that a complete address lacks, in the order of the profile. */
  readonly missing: readonly string[];
}

export interface TaxQuestion {
  readonly mode: TaxMode;
  readonly seller: TaxedSeller;
  readonly buyer: TaxedBuyer;
  /** Domains and servers are supplied electronically (Regulation (EU) 282/2011, Article 7); a team's charge may be any service. */
  readonly supply: "electronic" | "other";
  /** Date of the document, YYYY-MM-DD in the seller's time zone. */
  readonly businessDate: string;
  readonly language: DocumentLanguage;
}

/** Tax treatment, and the buyer's data that is required before a charge. */
export interface TaxAnswer {
  readonly treatment: TaxTreatment;
  /** Fields that the profile lacks. */
  readonly missing: readonly string[];
}

/** The rate of the specification ("Money rules"), in basis points. */
export const flatRateBasisPoints = 1_900;

/** Texts on documents without VAT, by language. Reverse charge is named in both (§14a (5) UStG; Article 226 no. 11a). */
const legalTexts = {
  de: {
    "reverse-charge": "Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)",
    "outside-eu": "Nicht im Inland steuerbare Leistung",
    "small-business": "Kein Ausweis von Umsatzsteuer, da Kleinunternehmer nach §19 UStG",
  },
  en: {
    "reverse-charge": "Reverse charge (Steuerschuldnerschaft des Leistungsempfängers)",
    "outside-eu": "Supply outside the scope of VAT",
    "small-business": "No VAT is charged: small business under §19 UStG",
  },
} as const satisfies Readonly<Record<DocumentLanguage, Readonly<Record<string, string>>>>;

/**
 * Decides how a supply is taxed. Pure: the same question has the same answer for ever.
 *
 * Under `eu`, in this order: a small business charges no VAT; an exempt account pays none; a buyer at home pays the seller's
 * rate; a company in another member state with a checked VAT id owes the VAT itself; any other buyer there pays the rate of
 * its own country once the seller takes part in the One Stop Shop, and the seller's before (Directive 2006/112/EC, Articles
 * 44, 45, 58, 196 and 369a); a buyer outside the Union pays none.
 */
export function taxTreatment(question: TaxQuestion, rules: TaxRules): TaxAnswer {
  const { mode, seller, buyer, supply, businessDate, language } = question;
  const home = seller.country;
  const free = (category: TaxCategory, reason: TaxReason, legalText: string): TaxAnswer =>
    treated({ category, country: home, rateBasisPoints: 0, reason, legalText });
  if (mode === "flat")
    return buyer.isExempt
      ? free("E", "exempted", seller.exemptionReason)
      : treated(standard(home, flatRateBasisPoints, "flat"));

  const texts = legalTexts[language];
  if (seller.isSmallBusiness) return free("E", "small-business", texts["small-business"]);
  if (buyer.isExempt) return free("E", "exempted", seller.exemptionReason);
  const homeState = vatCountryOf(home);
  const buyerState = vatCountryOf(buyer.country);
  const homeRate = rateOn(rules, homeState ?? home, businessDate);
  // A quote shows the domestic rate until the buyer's country is known; an order is refused.
  if (buyer.country === "") return { treatment: standard(home, homeRate, "domestic"), missing: ["country"] };
  if (buyer.country === home || (buyerState !== undefined && buyerState === homeState))
    return treated(standard(home, homeRate, "domestic"));
  if (buyerState === undefined) return free("O", "outside-eu", texts["outside-eu"]);
  const isReverse = buyer.kind === "organisation" && buyer.hasCheckedVatId;
  const isOss = supply === "electronic" && seller.ossFrom !== null && seller.ossFrom <= businessDate;
  if (!isReverse && !isOss) return treated(standard(home, homeRate, "seller-rate"));
  // The buyer's place decides about the VAT, so its address must be complete.
  const { treatment } = isReverse
    ? free("AE", "reverse-charge", texts["reverse-charge"])
    : treated(standard(buyerState, rateOn(rules, buyerState, businessDate), "oss"));
  return { treatment, missing: buyer.missing };
}

/** @throws Error if no rule names a rate of the country: the shipped rules name one of every member state. */
function rateOn(rules: TaxRules, country: string, businessDate: string): number {
  const rate = standardRateOn(rules, country, businessDate);
  if (rate === undefined) throw new Error(`no tax rule names a rate of ${country} on ${businessDate}`);
  return rate;
}

function standard(country: string, rateBasisPoints: number, reason: TaxReason): TaxTreatment {
  return { category: "S", country, rateBasisPoints, reason, legalText: "" };
}

function treated(treatment: TaxTreatment): TaxAnswer {
  return { treatment, missing: [] };
}
