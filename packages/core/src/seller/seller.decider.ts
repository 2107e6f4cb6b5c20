import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import { hasAtMost, isLine } from "../kernel/values.ts";
import { isDay } from "../calendar/calendar.ts";
import { isCountry } from "../tax/countries.ts";
import { faultOfVatCountry, faultOfVatId, plainVatId } from "../tax/vat-id.ts";
import { vatCountryOf } from "../tax/eu-countries.ts";
import type { TaxMode } from "../tax/tax-treatment.ts";
import type { SellerEvent, SellerVersion } from "./seller.events.ts";

export interface SellerState {
  readonly seller: SellerVersion;
  /** First business date in the One Stop Shop; null for none. */
  readonly ossFrom: string | null;
}

/** Texts and flags of a seller. */
export type SellerFields = Omit<SellerVersion, "version">;

/** Records the seller from the settings. Does nothing once there is a seller, because settings only propose the first. */
export type ProposeSeller = Command<"ProposeSeller", { readonly seller: SellerFields }>;

/** Changes the seller; fields that `changes` omits stay. */
export type ChangeSeller = Command<
  "ChangeSeller",
  {
    readonly changes: Partial<SellerFields>;
    /** Under `eu`, the seller must be in the Union. */
    readonly mode: TaxMode;
    readonly reason: string;
  }
>;

export type SetOssRegistration = Command<
  "SetOssRegistration",
  { readonly from: string | null; readonly reason: string }
>;

export type SellerCommand = ProposeSeller | ChangeSeller | SetOssRegistration;

/** Setting of the tax mode. */
export const taxVariable = "HOSTLEDGER_TAX";

/** Default time zone of documents. */
export const defaultTimeZone = "Europe/Berlin";

/** Stands in for the seller until the operator names one. */
export const placeholderSeller: SellerVersion = {
  version: 0,
  name: "Example Hosting (placeholder)",
  street: "Example Street 1",
  postalCode: "00000",
  city: "Example City",
  country: "DE",
  vatId: "DE000000000",
  taxNumber: "",
  email: "",
  phone: "",
  contact: "",
  exemptionReason: "Exempt from VAT.",
  isSmallBusiness: false,
  timeZone: defaultTimeZone,
};

/** Rules of the seller (stream `seller-all`). */
export const seller: Decider<SellerCommand, SellerState, SellerEvent> = {
  initialState: { seller: placeholderSeller, ossFrom: null },
  decide,
  evolve,
};

function decide(command: SellerCommand, state: SellerState): Decision<SellerEvent> {
  switch (command.type) {
    case "ProposeSeller": {
      if (state.seller.version > 0) return accept();
      const { seller: proposed, at } = command.data;
      return change(proposed, state, "proposed by the settings", at);
    }
    case "ChangeSeller": {
      const { changes, mode, reason, at } = command.data;
      if (mode === "eu" && vatCountryOf(changes.country ?? state.seller.country) === undefined)
        return faulty({ country: [`must be a member state, such as DE, under ${taxVariable}=eu`] });
      return change({ ...state.seller, ...changes }, state, reason, at);
    }
    case "SetOssRegistration": {
      const { from, reason, at } = command.data;
      if (from === state.ossFrom) return accept();
      if (from !== null && !isDay(from))
        return reject("validation-failed", "The date is not a valid day.", {
          fieldErrors: { from: ["must be a day such as 2027-01-01"] },
        });
      return accept({ type: "OssRegistrationSet", data: { from, reason, setAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function change(asked: SellerFields, state: SellerState, reason: string, at: string): Decision<SellerEvent> {
  const { version } = state.seller;
  const fields = { ...asked, vatId: plainVatId(asked.vatId) };
  const fieldErrors = faultsOf(fields);
  if (Object.keys(fieldErrors).length > 0) return faulty(fieldErrors);
  const next = { ...fields, version: version + 1 };
  if (version > 0 && isSame(fields, state.seller)) return accept();
  return accept({ type: "SellerChanged", data: { ...next, reason, changedAt: at } });
}

/** Refuses a seller; the sentence names the first wrong field. */
function faulty(fieldErrors: Readonly<Record<string, readonly string[]>>): Decision<SellerEvent> {
  const [field = "", [sentence = ""] = []] = Object.entries(fieldErrors)[0] ?? [];
  return reject("validation-failed", `The seller's ${field} ${sentence}.`, { fieldErrors });
}

function isSame(one: SellerFields, other: SellerFields): boolean {
  return (
    one.isSmallBusiness === other.isSmallBusiness && limits.every(([field]) => one[field] === other[field])
  );
}

/** Most characters of each text. */
const limits = [
  ["name", 200],
  ["street", 200],
  ["postalCode", 16],
  ["city", 100],
  ["country", 2],
  ["vatId", 20],
  ["taxNumber", 30],
  ["email", 254],
  ["phone", 40],
  ["contact", 200],
  ["exemptionReason", 500],
  ["timeZone", 64],
] as const;

/** Fields that a document needs of its seller. */
const needed: readonly (typeof limits)[number][0][] = ["name", "street", "postalCode", "city", "country"];

function faultsOf(fields: SellerFields): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const fail = (field: string, sentence: string | undefined): void => {
    if (sentence !== undefined) faults[field] = [sentence];
  };
  for (const [field, limit] of limits)
    if (!hasAtMost(fields[field], limit) || !isLine(fields[field]))
      fail(field, `must be one line of at most ${String(limit)} characters`);
  for (const field of needed)
    if (fields[field].trim() === "") fail(field, "is missing: a document names its whole seller");
  if (!isCountry(fields.country))
    fail("country", "must be a country of ISO 3166-1 in two capital letters, such as DE");
  if (fields.vatId === "" && fields.taxNumber === "")
    fail("vatId", "is missing: a document names the seller's VAT id or tax number");
  if (fields.vatId !== "")
    fail("vatId", faultOfVatId(fields.vatId) ?? faultOfVatCountry(fields.vatId, fields.country));
  if (!isTimeZone(fields.timeZone))
    fail("timeZone", "must be a time zone of the IANA database, such as Europe/Berlin");
  return faults;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function evolve(state: SellerState, event: SellerEvent): SellerState {
  switch (event.type) {
    case "SellerChanged": {
      const { reason: _reason, changedAt: _changedAt, ...fields } = event.data;
      return { ...state, seller: fields };
    }
    case "OssRegistrationSet":
      return { ...state, ossFrom: event.data.from };
    default:
      return assertNever(event);
  }
}
