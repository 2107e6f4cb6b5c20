import { faultOfVatId, hiddenCharacterFault, plainVatId } from "@hostledger/core";
import { settings, text } from "@hostledger/runtime";
import { z } from "zod";

/** One line of an invoice's head. */
const line = () =>
  text("must be one line of 1 to 200 characters", /^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u).superRefine(
    (value, context) => {
      const message = hiddenCharacterFault(value);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    },
  );

/** Who stands on invoices; `sellerOf` says what belongs together. */
export const sellerSettings = {
  sellerName: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_NAME",
    meaning: "name of the seller on invoices; without it each invoice says that its seller is a placeholder",
  }),
  sellerStreet: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_STREET",
    meaning: "street and number of the seller",
  }),
  sellerPostalCode: text("must be a postal code such as 10115", /^[A-Za-z0-9][A-Za-z0-9 -]{1,15}$/)
    .optional()
    .register(settings, { variable: "HOSTLEDGER_SELLER_POSTAL_CODE", meaning: "postal code of the seller" }),
  sellerCity: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_CITY",
    meaning: "city of the seller",
  }),
  sellerCountry: text("must be two capital letters (ISO 3166-1) such as DE", /^[A-Z]{2}$/)
    .default("DE")
    .register(settings, { variable: "HOSTLEDGER_SELLER_COUNTRY", meaning: "country of the seller" }),
  sellerVatId: z
    .string()
    .overwrite(plainVatId)
    .superRefine((vatId, context) => {
      const message = faultOfVatId(vatId);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .optional()
    .register(settings, { variable: "HOSTLEDGER_SELLER_VAT_ID", meaning: "VAT identifier of the seller" }),
  sellerEmail: z
    .email("must be an e-mail address")
    .max(254, "must be an e-mail address")
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_SELLER_EMAIL",
      meaning: "e-mail address on invoices",
    }),
  sellerExemptionReason: line().default("Exempt from VAT.").register(settings, {
    variable: "HOSTLEDGER_SELLER_EXEMPTION_REASON",
    meaning: "reason for the VAT exemption on invoices of exempt accounts",
  }),
};
