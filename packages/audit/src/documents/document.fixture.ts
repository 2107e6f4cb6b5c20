import type { TaxTreatment } from "@hostledger/core";

import type { Buyer, DocumentInput, FrozenDocument, Seller } from "./document.ts";

/** Documents for specs: account 7 buys from a company in Berlin. */

export const seller: Seller = {
  name: "Beispiel & Söhne GmbH",
  street: "Beispielweg 1",
  postalCode: "10115",
  city: "Berlin",
  country: "DE",
  vatId: "DE123456788",
  taxNumber: "29/815/08150",
  contact: "Billing",
  phone: "+49 30 1234567",
  email: "billing@example.com",
  exemptionReason: "Exempt from VAT (§ 4 UStG).",
  isPlaceholder: false,
};

export const buyer: Buyer = { accountId: 7, name: "Ada Lovelace" };

export const business = {
  ...buyer,
  profile: {
    organisation: "Engines & Sons Ltd.",
    street: "Analytical Way 1",
    postalCode: "EC1A 1BB",
    city: "London",
    country: "GB",
    vatId: "GB123456789",
    leitwegId: "",
  },
} satisfies Buyer;

export const standardRate: TaxTreatment = {
  category: "S",
  country: "DE",
  rateBasisPoints: 1_900,
  reason: "flat",
  legalText: "",
};

export const exempted: TaxTreatment = {
  category: "E",
  country: "DE",
  rateBasisPoints: 0,
  reason: "exempted",
  legalText: "Exempt from VAT (§ 4 UStG).",
};

/** Two years of a domain at 10.00 net, and a second line of one cent. */
export const invoice: FrozenDocument = {
  kind: "invoice",
  number: "2026-7-000042",
  issuedAt: "2026-11-21T22:59:59.999999Z",
  businessDate: "2026-11-21",
  language: "en",
  templateVersion: 1,
  cause: "registration-1",
  pricesIncludeVat: false,
  lines: [
    {
      description: "Registration of example.com, per year",
      quantity: 2,
      unitCents: 1_000n,
      amountCents: 2_000n,
    },
    { description: "A second line", quantity: 1, unitCents: 1n, amountCents: 1n },
  ],
  netCents: 2_001n,
  tax: standardRate,
  vatCents: 380n,
  grossCents: 2_381n,
};

/** Three months of a server, 28.47 gross. */
export const serverInvoice: FrozenDocument = {
  ...invoice,
  number: "2026-7-000043",
  cause: "serverrenewal-1",
  pricesIncludeVat: true,
  lines: [
    {
      description: "Renewal of a server Small, 3 months",
      quantity: 1,
      unitCents: 2_847n,
      amountCents: 2_847n,
    },
  ],
  netCents: 2_392n,
  vatCents: 455n,
  grossCents: 2_847n,
};

export const exemptInvoice: FrozenDocument = {
  ...invoice,
  number: "2026-7-000044",
  tax: exempted,
  vatCents: 0n,
  grossCents: 2_001n,
};

export const exemptServerInvoice: FrozenDocument = {
  ...serverInvoice,
  number: "2026-7-000045",
  netCents: 2_847n,
  tax: exempted,
  vatCents: 0n,
};

export const correction: FrozenDocument = {
  ...invoice,
  kind: "correction",
  number: "2026-7-C000001",
  issuedAt: "2026-11-21T23:00:00.000001Z",
  businessDate: "2026-11-22",
  lines: [],
  netCents: -2_001n,
  vatCents: -380n,
  grossCents: -2_381n,
  corrects: {
    number: "2026-7-000042",
    businessDate: "2026-11-21",
    reason: "The registrar refused",
  },
};

export const receipt: FrozenDocument = {
  ...invoice,
  kind: "receipt",
  number: "2026-7-T000001",
  cause: "bank-1",
  lines: [{ description: "Balance top-up", quantity: 1, unitCents: 10_000n, amountCents: 10_000n }],
  netCents: 10_000n,
  tax: null,
  vatCents: 0n,
  grossCents: 10_000n,
};

export const takenBackReceipt: FrozenDocument = {
  ...receipt,
  takenBack: { at: "2026-11-22T08:00:00.000000Z", cancelledBy: "2026-7-C000002" },
};

export const cancellation: FrozenDocument = {
  ...receipt,
  kind: "cancellation",
  number: "2026-7-C000002",
  issuedAt: "2026-11-22T08:00:00.000000Z",
  businessDate: "2026-11-22",
  lines: [],
  netCents: -10_000n,
  grossCents: -10_000n,
  corrects: { number: "2026-7-T000001", businessDate: receipt.businessDate, reason: "Returned by the bank" },
};

/** An invoice of zero for a gift. */
export const freeInvoice: FrozenDocument = {
  ...invoice,
  number: "2026-7-000046",
  lines: [{ description: "A gift", quantity: 1, unitCents: 0n, amountCents: 0n }],
  netCents: 0n,
  vatCents: 0n,
  grossCents: 0n,
};

export const electronic: readonly (readonly [string, FrozenDocument])[] = [
  ["net prices", invoice],
  ["gross prices", serverInvoice],
  ["an exempt account", exemptInvoice],
  ["gross prices for an exempt account", exemptServerInvoice],
  ["a correction", correction],
  ["nothing to pay", freeInvoice],
];

const german = (document: FrozenDocument): FrozenDocument => ({
  ...document,
  language: "de",
  supply: { from: document.businessDate, to: "2027-11-20" },
});
const companyIn = (country: string, city: string, vatId: string): Buyer => ({
  ...business,
  profile: { ...business.profile, postalCode: "1011", city, country, vatId },
});
/** Sells where no VAT is due: prices of 28.47 that contain 19 % are 23.92 net. */
const free = (tax: Omit<TaxTreatment, "country" | "rateBasisPoints">): FrozenDocument => ({
  ...serverInvoice,
  tax: { ...tax, country: "DE", rateBasisPoints: 0 },
  netCents: 2_392n,
  vatCents: 0n,
  grossCents: 2_392n,
});

export const publicBuyer: Buyer = {
  ...companyIn("DE", "Bonn", ""),
  profile: {
    organisation: "Bundesamt für Beispiele",
    street: "Amtsweg 1",
    postalCode: "53113",
    city: "Bonn",
    country: "DE",
    vatId: "",
    leitwegId: "991-03730-19",
  },
};

export const reverseCharge = free({
  category: "AE",
  reason: "reverse-charge",
  legalText: "Reverse charge (Steuerschuldnerschaft des Leistungsempfängers)",
});

export const outsideEu = free({
  category: "O",
  reason: "outside-eu",
  legalText: "Supply outside the scope of VAT",
});

export const smallBusiness: FrozenDocument = {
  ...exemptInvoice,
  tax: {
    ...exempted,
    reason: "small-business",
    legalText: "Kein Ausweis von Umsatzsteuer, da Kleinunternehmer nach §19 UStG",
  },
};

export const dutchCompany = companyIn("NL", "Amsterdam", "NL004495445B01");
export const swissCompany = companyIn("CH", "Zürich", "CHE116281710MWST");

/** A Finnish consumer pays 25.5 %: prices of 28.47 with 19 % are 23.92 net. */
const ossInvoice: FrozenDocument = {
  ...serverInvoice,
  tax: { ...standardRate, country: "FI", rateBasisPoints: 2_550, reason: "oss" },
  netCents: 2_392n,
  vatCents: 610n,
  grossCents: 3_002n,
};

const withoutVatId: Seller = { ...seller, vatId: "" };

/** Documents for each kind of buyer and seller, as the law has their taxes, in both languages. */
export const taxed: readonly (readonly [string, DocumentInput])[] = [
  ["a consumer at home", { document: german(invoice), seller, buyer }],
  [
    "a company at home",
    { document: german(serverInvoice), seller, buyer: companyIn("DE", "Bonn", "DE123456788") },
  ],
  ["a seller with a tax number only", { document: german(invoice), seller: withoutVatId, buyer }],
  ["a customer whom staff exempted", { document: german(exemptServerInvoice), seller, buyer }],
  ["a company in another state", { document: reverseCharge, seller, buyer: dutchCompany }],
  ["a company outside the Union", { document: outsideEu, seller, buyer: swissCompany }],
  [
    "a company outside the Union, by a seller with a VAT id only",
    { document: german(outsideEu), seller: { ...seller, taxNumber: "" }, buyer: swissCompany },
  ],
  ["a consumer in another state", { document: ossInvoice, seller, buyer: companyIn("FI", "Helsinki", "") }],
  ["a small business", { document: german(smallBusiness), seller: withoutVatId, buyer }],
  ["a public buyer", { document: german(invoice), seller, buyer: publicBuyer }],
  ["a public buyer, corrected", { document: { ...correction, language: "de" }, seller, buyer: publicBuyer }],
  [
    "a public buyer, with a period",
    { document: { ...german(serverInvoice), language: "en" }, seller, buyer: publicBuyer },
  ],
  [
    "a corrected reverse charge",
    {
      document: {
        ...reverseCharge,
        kind: "correction",
        number: "2027-7-C000003",
        businessDate: "2027-01-02",
        lines: [],
        netCents: -2_392n,
        grossCents: -2_392n,
        corrects: { number: "2026-7-000043", businessDate: "2026-11-21", reason: "Outage" },
      },
      seller,
      buyer: dutchCompany,
    },
  ],
];

/** A text that must not be interpreted as markup. */
export const nasty = `</ram:Name><script>alert("1")</script> & <!ENTITY x SYSTEM "file:///etc/passwd"> ]]> &amp; '\u0000\u202E`;
