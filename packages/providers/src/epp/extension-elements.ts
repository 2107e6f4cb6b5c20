import { graceStatuses as statuses, most, years } from "./element-values.ts";
import { namespaces } from "./namespaces.ts";
import {
  anything,
  attribute,
  converted,
  elementTable,
  flag,
  integer,
  many,
  maybe,
  one,
  row,
  struct,
  text,
  type ValueOf,
} from "./shapes.codec.ts";

/** Digests (DS records), and keys, which we neither send nor take. */
const digests = {
  dsData: many(
    "dsData",
    struct({
      keyTag: one("keyTag", integer(65_535)),
      algorithm: one("alg", integer(255)),
      digestType: one("digestType", integer(255)),
      digest: one(
        "digest",
        converted(text(/^(?:[0-9A-Fa-f]{2}){20,64}$/, "hexadecimal"), (digest) => digest.toUpperCase()),
      ),
    }),
    most,
  ),
  keyData: maybe("keyData", anything),
};

/** DNSSEC (RFC 5910). */
export const signerElements = elementTable(namespaces.secDns, {
  create: digests,
  infData: digests,
  update: {
    urgent: attribute("urgent"),
    remove: maybe("rem", struct({ all: maybe("all", text()), ...digests })),
    add: maybe("add", struct(digests)),
  },
});
export type DigestsElement = ValueOf<typeof signerElements.create>;

/** Grace periods and restoration (RFC 3915). */
export const graceElements = elementTable(namespaces.rgp, {
  update: {
    restore: one("restore", struct({ operation: attribute("op"), report: maybe("report", anything) })),
  },
  infData: { statuses },
  upData: { statuses },
});

const currency = maybe("currency", text());
const amounts = struct({ currency, fees: many("fee", text(/^\d{1,9}(?:\.\d{1,2})?$/, "an amount")) });

/** Questions about fees (RFC 8748). */
export const feeElements = elementTable(namespaces.fee, {
  check: {
    currency,
    commands: many("command", struct({ name: attribute("name"), years }), { most: 10 }),
  },
  chkData: {
    currency,
    answers: many(
      "cd",
      struct({
        available: flag("avail"),
        name: one("objID", text()),
        class: maybe("class", text()),
        commands: many(
          "command",
          struct({
            name: attribute("name"),
            isStandard: flag("standard"),
            years,
            fees: many(
              "fee",
              struct({
                amount: text(),
                description: attribute("description"),
                refundable: flag("refundable"),
                gracePeriod: attribute("grace-period"),
              }),
            ),
          }),
        ),
      }),
    ),
  },
});

/** The fee that a client expects or a registry took. @param name of the element, like the command or its answer */
export const feeAmount = (name: string) => row(namespaces.fee, name, amounts);
