import { formatEuros } from "@hostledger/core";
import { account, admin } from "@hostledger/protocol";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { writeAnswer } from "../audit/output-file.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { fields } from "../output/table.ts";
import { argument, option, page, requiredChoice } from "../staff/command-line.codec.ts";
import type { StaffOptions } from "../staff/staff-address.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const { listAllInvoices, showInvoice } = admin.AccountAdminService.method;
const invoice = argument("<invoice>", "its number, or its id", parseText);

const invoices = viewOf(
  admin.StaffInvoiceSchema,
  {
    id: { right: ({ invoice: each }) => each && jsonInteger(each.id) },
    number: ({ invoice: each }) => each?.number,
    account: "accountId",
    action: ({ invoice: each }) => each?.action,
    gross: { right: ({ invoice: each }) => each && formatEuros(each.grossCents) },
    issued: ({ invoice: each }) => each?.createdAt,
    for: "cause",
  },
  invoiceDocument,
);

const lines = viewOf(account.InvoiceLineSchema, {
  line: "description",
  quantity: "quantity",
  unit: "unitCents",
  amount: "amountCents",
});

export const addInvoiceCommands = noun("invoice", "customers' invoices, receipts and corrections", [
  call(["list", "list invoices, receipts and corrections, by id"], listAllInvoices, {
    inputs: { accountId: option("--account <id>", "only of this account", parseId), page },
    answer: (list) => invoices.list(list.invoices),
  }),
  call(["show", "show an invoice, a receipt or a correction with its lines"], showInvoice, {
    inputs: { invoice },
    answer({ invoice: found, lines: frozen, document: whole }) {
      if (found === undefined) throw new Error("the instance answered without an invoice");
      const buyer = whole?.buyer === undefined ? null : buyerDocument(whole.buyer);
      const document = { ...invoiceDocument(found), buyer };
      const { invoice_id: id, corrects_number: corrects, created_at: issued, ...shown } = document;
      const texts = Object.values(buyer ?? {}).filter((text) => text !== "");
      const head = fields({ invoice: id, ...shown, buyer: texts.join(", "), corrects, issued });
      const listed = lines.list(frozen);
      return {
        document: { ...document, lines: listed.document },
        text: frozen.length === 0 ? head : `${head}\n${listed.text}`,
      };
    },
  }),
  custom(
    ["fetch", "fetch an invoice, a receipt or a correction as its customer downloads it"],
    {
      invoice,
      format: requiredChoice("--format <format>", "a PDF, or the XML of an electronic invoice", [
        "pdf",
        "xml",
      ]),
      out: option("--out <file>", "write to this file, which only its owner may read", parseText),
    },
    async ({ documents }, { out, ...wanted }, { io, command }) => {
      const { fileName, mediaType, content } = await documents.fetchInvoice(wanted);
      const document = { name: fileName, media_type: mediaType, bytes: content.length };
      if (command.optsWithGlobals<StaffOptions>().json === true && out === undefined)
        return { document: { ...document, content: Buffer.from(content).toString("base64") }, text: "" };
      await writeAnswer(io, out, ({ write }) => {
        write(content);
        return Promise.resolve();
      });
      return {
        document: { ...document, file: out ?? null },
        text: out === undefined ? "" : `${fileName} is in ${out}.\n`,
      };
    },
  ),
]);

/** The buyer as the document names it. */
function buyerDocument({
  name,
  organisation,
  street,
  postalCode,
  city,
  country,
  vatId,
  leitwegId,
}: account.Buyer) {
  const place = { street, postal_code: postalCode, city, country };
  return { name, organisation, ...place, vat_id: vatId, leitweg_id: leitwegId };
}

function invoiceDocument({ invoice: each, accountId, cause, correctsNumber, reason }: admin.StaffInvoice) {
  if (each === undefined) throw new Error("the instance answered without an invoice");
  return {
    invoice_id: jsonInteger(each.id),
    number: each.number,
    account_id: jsonInteger(accountId),
    action: each.action,
    gateway: each.gateway,
    net: formatEuros(each.netCents),
    vat: formatEuros(each.vatCents),
    vat_rate: each.vatRateBasisPoints / 100,
    gross: formatEuros(each.grossCents),
    duration: each.duration,
    delivered: each.delivered,
    domain_id: idOf(each.domainId),
    server_id: idOf(each.serverId),
    plan_id: idOf(each.planId),
    cause,
    corrects_number: correctsNumber ?? null,
    reason: reason ?? null,
    created_at: each.createdAt,
  };
}

function idOf(id: bigint | undefined) {
  return id === undefined ? null : jsonInteger(id);
}
