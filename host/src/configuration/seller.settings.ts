import {
  faultOfVatId,
  hiddenCharacterFault,
  invoiceRetentionYears,
  journalRetentionYears,
  parseIban,
  plainVatId,
} from "@hostledger/core";
import { settings, text } from "@hostledger/runtime";
import { z } from "zod";

/** A line of an invoice's head. */
const line = () =>
  text("must be one line of 1 to 200 characters", /^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u).superRefine(
    (value, context) => {
      const message = hiddenCharacterFault(value);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    },
  );

const years = (standard: number) =>
  z.coerce
    .number("must be a whole number of years from 1 to 100")
    .int("must be a whole number of years from 1 to 100")
    .min(1, "must be a whole number of years from 1 to 100")
    .max(100, "must be a whole number of years from 1 to 100")
    .default(standard);

/** Settings of the seller on invoices; `sellerOf` checks which of them belong together. */
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
  sellerTaxNumber: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_TAX_NUMBER",
    meaning:
      "national tax number (Steuernummer) of a seller, if it has no VAT identifier or sells outside the Union",
  }),
  sellerPhone: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_PHONE",
    meaning: "telephone number on electronic invoices",
  }),
  sellerContact: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_CONTACT",
    meaning: "name of the person whom buyers ask about invoices",
  }),
  sellerSmallBusiness: z
    .enum(["true", "false"], { error: "must be true or false" })
    .default("false")
    .register(settings, {
      variable: "HOSTLEDGER_SELLER_SMALL_BUSINESS",
      meaning: "true for a small business that charges no VAT (§19 UStG)",
    }),
  timeZone: text(
    "must be a time zone of the IANA database, such as Europe/Berlin",
    /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/,
  )
    .default("Europe/Berlin")
    .register(settings, {
      variable: "HOSTLEDGER_TIME_ZONE",
      meaning: "time zone in which documents are dated, proposed for the first seller",
    }),
  tax: z.enum(["flat", "eu"], { error: "must be flat or eu" }).default("flat").register(settings, {
    variable: "HOSTLEDGER_TAX",
    meaning: "`flat`: 19 % VAT unless an account is exempt; `eu`: the rules of the Union",
  }),
  retainedDocumentYears: years(invoiceRetentionYears).register(settings, {
    variable: "HOSTLEDGER_RETENTION_INVOICES",
    meaning:
      "years for which documents are kept after the year of their issue; a document keeps the term with which it was issued",
  }),
  retainedJournalYears: years(journalRetentionYears).register(settings, {
    variable: "HOSTLEDGER_RETENTION_JOURNALS",
    meaning: "years for which the law keeps postings after their year, which an erasure names in its answer",
  }),
  sellerEmail: z
    .email("must be an e-mail address")
    .max(254, "must be an e-mail address")
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_SELLER_EMAIL",
      meaning: "e-mail address on invoices",
    }),
  bankIban: z
    .string()
    .transform((given, context) => {
      const iban = parseIban(given);
      if (iban.ok) return iban.value;
      context.addIssue({ code: "custom", message: iban.error });
      return z.NEVER;
    })
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_BANK_IBAN",
      meaning:
        "IBAN of the account in euros to which customers transfer money; `hostledger bank` imports its statements",
    }),
  bankBic: text(
    "must be a BIC of 8 or 11 characters such as COBADEFFXXX",
    /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_BANK_BIC",
      meaning:
        "BIC of that account's bank, which customers outside the European Economic Area need and files of payouts name",
    }),
  sellerExemptionReason: line().default("Exempt from VAT.").register(settings, {
    variable: "HOSTLEDGER_SELLER_EXEMPTION_REASON",
    meaning: "reason for the VAT exemption on invoices of exempt accounts",
  }),
};
