import { formatEuros } from "@hostledger/core/money";
import { admin } from "@hostledger/protocol";
import { InvalidArgumentError } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { viewOf } from "../output/message-document.ts";
import { changed } from "../output/reply.ts";
import { argument, flag, option, required } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const reason = required("--reason <text>", "why, 1 to 500 characters; stored in an event", parseText);

const sellerLines = {
  version: "version",
  name: "name",
  street: "street",
  "postal code": "postalCode",
  city: "city",
  country: "country",
  "VAT id": "vatId",
  "tax number": "taxNumber",
  "e-mail": "email",
  phone: "phone",
  contact: "contact",
  "exemption reason": "exemptionReason",
  "small business": ({ smallBusiness }: admin.Seller) => smallBusiness,
  "time zone": "timeZone",
} as const;
const sellers = viewOf(admin.SellerSchema, sellerLines);

const rates = viewOf(admin.TaxRateSchema, {
  country: "country",
  "rate %": { right: ({ rateBasisPoints }) => rateBasisPoints / 100 },
  "valid from": "validFrom",
});

/** Texts may be empty: an empty text removes the seller's. */
const text = (flags: string, description: string) => option(flags, description, (given) => given);

export const addSellerCommands = noun("seller", "the seller on documents; settings propose only the first", [
  call(
    ["show", "show the seller on documents that are issued now"],
    admin.AccountAdminService.method.showSeller,
    {
      answer: ({ seller }) => sellers.one(sellerLines, seller),
    },
  ),
  call(
    ["set", "change the seller on later documents; an empty text removes one"],
    admin.AccountAdminService.method.changeSeller,
    {
      inputs: {
        name: text("--name <name>", "name"),
        street: text("--street <street>", "street and house number"),
        postalCode: text("--postal-code <code>", "postal code"),
        city: text("--city <city>", "city"),
        country: text("--country <code>", "country, ISO 3166-1 alpha-2"),
        vatId: text("--vat-id <id>", "VAT id"),
        taxNumber: text("--tax-number <number>", "national tax number (Steuernummer)"),
        email: text("--email <address>", "e-mail address"),
        phone: text("--phone <number>", "telephone number"),
        contact: text("--contact <name>", "person whom buyers ask about invoices"),
        exemptionReason: text("--exemption-reason <text>", "sentence on documents of exempt customers"),
        smallBusiness: option("--small-business <yes|no>", "charges no VAT (§19 UStG)", parseYesNo),
        timeZone: text("--time-zone <zone>", "time zone in which documents are dated"),
        reason,
      },
      answer: ({ seller, repeated }) => {
        const { document, text: lines } = sellers.one(sellerLines, seller);
        return changed(repeated, { document: { seller: document }, text: lines });
      },
    },
  ),
]);

export const addTaxCommands = noun("tax", "how documents are taxed under HOSTLEDGER_TAX=eu", [
  call(
    ["show", "show the tax mode, the rates, and this year's sales to consumers in other member states"],
    admin.AccountAdminService.method.showTaxes,
    {
      text({ mode, ossFrom, rates: set, crossBorderNetCents: sold, thresholdCents: threshold }) {
        const oss = ossFrom === undefined ? "no" : `from ${ossFrom}`;
        const needed = sold > threshold && ossFrom === undefined;
        return [
          `Mode: ${mode}. One Stop Shop: ${oss}.\n`,
          `Sold this year to consumers in other member states at the seller's rate: ${formatEuros(sold)} EUR net.\n`,
          needed
            ? `That is above ${formatEuros(threshold)} EUR: their own rates apply now. Register for the One Stop Shop, then use \`admin tax oss --from\`.\n`
            : "",
          ...(set.length === 0 ? [] : ["\n", rates.list(set).text]),
        ].join("");
      },
    },
  ),
  custom(
    ["set", "set a member state's standard rate from a date on"],
    {
      country: argument("<country>", "member state, ISO 3166-1 alpha-2; Greece is GR", parseText),
      rateBasisPoints: argument("<percent>", "rate in per cent, for example 25.5", parseRate),
      validFrom: required("--from <date>", "first business date, for example 2027-01-01", parseText),
      reason,
    },
    async ({ accounts }, { reason: why, ...rate }) => {
      const { rates: set, repeated } = await accounts.setTaxRate({ rate, reason: why });
      const answer = rates.list(set);
      return changed(repeated, { document: { rates: answer.document }, text: answer.text });
    },
  ),
  custom(
    ["oss", "take part in the One Stop Shop: consumers in other member states pay their own rate"],
    {
      from: option("--from <date>", "first business date, for example 2027-01-01", parseText, "off"),
      off: flag("--off", "end the participation"),
      reason,
    },
    async ({ accounts }, { from, reason: why }) => {
      const asked = { ...(from !== undefined && { from }), reason: why };
      const { from: since, repeated } = await accounts.setOssRegistration(asked);
      const said =
        since === undefined
          ? "The seller takes no part in the One Stop Shop."
          : `The seller takes part in the One Stop Shop from ${since}.`;
      return changed(repeated, { document: { from: since ?? null }, text: `${said}\n` });
    },
    ({ from, off }) => {
      if (off === (from !== undefined))
        throw wrongUsage("Name --from, the first business date, or --off, which ends the participation.");
    },
  ),
]);

function parseYesNo(given: string): boolean {
  if (given === "yes" || given === "no") return given === "yes";
  throw new InvalidArgumentError("It must be yes or no.");
}

/** Parses per cent with at most two decimals to basis points. */
function parseRate(given: string): number {
  if (!/^(?:[1-4]?\d(?:\.\d{1,2})?|50(?:\.00?)?)$/.test(given))
    throw new InvalidArgumentError("It must be 0 to 50 per cent with at most two decimals, such as 25.5.");
  return Math.round(Number(given) * 100);
}
