import { z } from "zod";

import type { EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";

const amounts = {
  netCents: centsField,
  vatRatePercent: z.int().min(0).max(100),
  vatCents: centsField,
  grossCents: centsField,
};
const subjectV1 = { duration: z.int().nonnegative(), domainId: idField.nullable() };
const subject = { ...subjectV1, serverId: idField.nullable(), planId: idField.nullable() };

const invoiceHead = {
  invoiceId: idField,
  number: textField,
  action: z.enum(["purchase", "renewal", "topup"]),
  cause: textField,
};
const correctionHead = {
  correctionId: idField,
  number: textField,
  correctsInvoiceId: idField,
  correctsNumber: textField,
  chargeId: textField,
};
const lineHead = { description: textField, quantity: z.int().positive() };
const mostLines = 100;

/** Only domains were sold, at net prices. */
const invoiceV1 = z.strictObject({
  ...invoiceHead,
  lines: z
    .array(z.strictObject({ ...lineHead, unitNetCents: centsField, netCents: centsField }))
    .max(mostLines),
  ...amounts,
  ...subjectV1,
  issuedAt: instantField,
});

/** Servers are sold, too: at gross prices. */
const invoiceV2 = z.strictObject({
  ...invoiceHead,
  pricesIncludeVat: z.boolean(),
  lines: z
    .array(z.strictObject({ ...lineHead, unitCents: centsField, amountCents: centsField }))
    .max(mostLines),
  ...amounts,
  ...subject,
  issuedAt: instantField,
});

const correctionV1 = z.strictObject({
  ...correctionHead,
  ...amounts,
  ...subjectV1,
  reason: textField,
  issuedAt: instantField,
});

const correctionV2 = z.strictObject({ ...correctionV1.shape, ...subject });

/** The shapes an invoice has had, oldest first. */
export const invoiceVersions: EventVersions = {
  schemas: [invoiceV1, invoiceV2],
  upcasters: [
    ({ lines, ...data }: z.output<typeof invoiceV1>): z.output<typeof invoiceV2> => ({
      ...data,
      pricesIncludeVat: false,
      lines: lines.map(({ unitNetCents, netCents, ...line }) => ({
        ...line,
        unitCents: unitNetCents,
        amountCents: netCents,
      })),
      serverId: null,
      planId: null,
    }),
  ],
};

/** The shapes a correction has had, oldest first. */
export const correctionVersions: EventVersions = {
  schemas: [correctionV1, correctionV2],
  upcasters: [
    (data: z.output<typeof correctionV1>): z.output<typeof correctionV2> => ({
      ...data,
      serverId: null,
      planId: null,
    }),
  ],
};
