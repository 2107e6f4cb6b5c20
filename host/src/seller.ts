import { taxVariable, vatCountryOf } from "@hostledger/core";
import { placeholderSeller, type Seller } from "@hostledger/audit/documents";
import { ConfigurationError, defined } from "@hostledger/runtime";

import type { DocumentSettings } from "@hostledger/store";

import type { Configuration } from "./configuration/index.ts";

/** Required data of the seller on an invoice, by setting (§14 (4) no. 1 and 2 UStG; EN 16931, BG-4). */
const needed = {
  HOSTLEDGER_SELLER_NAME: "sellerName",
  HOSTLEDGER_SELLER_STREET: "sellerStreet",
  HOSTLEDGER_SELLER_POSTAL_CODE: "sellerPostalCode",
  HOSTLEDGER_SELLER_CITY: "sellerCity",
} as const satisfies Readonly<Record<string, keyof Configuration>>;

/**
 * Returns the seller on invoices. Without settings it is a placeholder, which every invoice shows as such.
 * @throws ConfigurationError one sentence for each missing part if others are given.
 */
export function sellerOf(configuration: Configuration): Seller {
  const {
    sellerName: name,
    sellerStreet: street,
    sellerPostalCode: postalCode,
    sellerCity: city,
    sellerVatId: vatId = "",
    sellerTaxNumber: taxNumber = "",
    sellerContact: contact = "",
    sellerPhone: phone = "",
    sellerCountry: country,
    sellerEmail: email,
    sellerExemptionReason: exemptionReason,
  } = configuration;
  const isUnnamed = Object.values(needed).every((key) => configuration[key] === undefined);
  if (isUnnamed && [vatId, taxNumber, email].every((text) => text === undefined || text === ""))
    return { ...placeholderSeller, country, exemptionReason };
  if (
    name === undefined ||
    street === undefined ||
    postalCode === undefined ||
    city === undefined ||
    (vatId === "" && taxNumber === "")
  )
    throw new ConfigurationError(missing(configuration));
  return {
    name,
    street,
    postalCode,
    city,
    country,
    vatId,
    taxNumber,
    contact,
    phone,
    exemptionReason,
    isPlaceholder: false,
    ...defined({ email }),
  };
}

/**
 * Returns the document settings.
 * @throws ConfigurationError one sentence for each missing part of the seller if others are given.
 */
export function documentSettingsOf(configuration: Configuration): DocumentSettings {
  const { isPlaceholder, email = "", ...seller } = sellerOf(configuration);
  const { tax, timeZone, sellerSmallBusiness } = configuration;
  const frozen = { mode: tax, retentionYears: configuration.retainedDocumentYears };
  if (tax === "eu") refuseOutsideUnion(seller.country, isPlaceholder);
  if (isPlaceholder) return frozen;
  return {
    ...frozen,
    seller: {
      ...seller,
      email,
      timeZone,
      isSmallBusiness: sellerSmallBusiness === "true",
    },
  };
}

/** @throws ConfigurationError if the rules of the Union cannot tax this seller's sales. */
function refuseOutsideUnion(country: string, isPlaceholder: boolean): void {
  const rule = `${taxVariable}=eu taxes the sales of a seller in the Union`;
  if (isPlaceholder)
    throw new ConfigurationError([
      `${rule}: name the seller with HOSTLEDGER_SELLER_NAME and the settings beside it.`,
    ]);
  if (vatCountryOf(country) === undefined)
    throw new ConfigurationError([
      `${rule}: HOSTLEDGER_SELLER_COUNTRY is ${country}; set ${taxVariable}=flat.`,
    ]);
}

function missing(configuration: Configuration): string[] {
  const { sellerVatId, sellerTaxNumber } = configuration;
  const isTaxIdMissing = sellerVatId === undefined && sellerTaxNumber === undefined;
  return [
    ...Object.entries(needed)
      .filter(([, key]) => configuration[key] === undefined)
      .map(([variable]) => `${variable} must be set too: an invoice has to name its whole seller.`),
    ...(isTaxIdMissing
      ? [
          "HOSTLEDGER_SELLER_VAT_ID or HOSTLEDGER_SELLER_TAX_NUMBER must be set too: an invoice has to name one of them.",
        ]
      : []),
  ];
}
