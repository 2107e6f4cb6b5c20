import type { Buyer, FrozenDocument, Seller } from "./document.ts";

/** Documents for specs: account 7 buys from a company in Berlin. */

export const seller: Seller = {
  name: "Beispiel & Söhne GmbH",
  street: "Beispielweg 1",
  postalCode: "10115",
  city: "Berlin",
  country: "DE",
  vatId: "DE123456788",
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
  },
} satisfies Buyer;

/** Two years of a domain at 10.00 net, and a second line of one cent. */
export const invoice: FrozenDocument = {
  kind: "invoice",
  number: "2026-7-000042",
  issuedAt: "2026-11-21T23:59:59.999999Z",
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
  vatRatePercent: 19,
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
  vatRatePercent: 0,
  vatCents: 0n,
  grossCents: 2_001n,
};

export const exemptServerInvoice: FrozenDocument = {
  ...serverInvoice,
  number: "2026-7-000045",
  netCents: 2_847n,
  vatRatePercent: 0,
  vatCents: 0n,
};

export const correction: FrozenDocument = {
  ...invoice,
  kind: "correction",
  number: "2026-7-C000001",
  issuedAt: "2026-11-22T00:00:00.000001Z",
  lines: [],
  netCents: -2_001n,
  vatCents: -380n,
  grossCents: -2_381n,
  corrects: {
    number: "2026-7-000042",
    issuedAt: "2026-11-21T23:59:59.999999Z",
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
  vatRatePercent: 0,
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
  lines: [],
  netCents: -10_000n,
  grossCents: -10_000n,
  corrects: { number: "2026-7-T000001", issuedAt: receipt.issuedAt, reason: "Returned by the bank" },
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

/** A text that must not be interpreted as markup. */
export const nasty = `</ram:Name><script>alert("1")</script> & <!ENTITY x SYSTEM "file:///etc/passwd"> ]]> &amp; '\u0000\u202E`;
