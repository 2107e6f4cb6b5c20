import { settings, text } from "@hostledger/runtime";
import { z } from "zod";

const hostNameLabel = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const hostName = new RegExp(`^${hostNameLabel}(\\.${hostNameLabel})+$`);

const nameservers = z
  .string()
  .transform((list) => list.split(",").map((name) => name.trim().toLowerCase().replace(/\.$/, "")))
  .refine(
    (names) => names.length >= 2 && names.length <= 6 && names.every((name) => hostName.test(name)),
    "must be two to six host names separated by commas",
  )
  .refine((names) => new Set(names).size === names.length, "must not name a nameserver twice");

const euros = text("must be an amount in euros such as 19.99", /^\d{1,7}(\.\d{1,2})?$/).transform(
  (amount) => {
    const [whole = "", decimals = ""] = amount.split(".");
    return BigInt(whole + decimals.padEnd(2, "0"));
  },
);

export const domainSettings = {
  nameservers: nameservers
    .default(["ns1.hostledger.example", "ns2.hostledger.example"])
    .register(settings, { variable: "HOSTLEDGER_NAMESERVERS", meaning: "the operator's nameservers" }),
  parkingAddress: z.ipv4("must be an IPv4 address").default("192.0.2.10").register(settings, {
    variable: "HOSTLEDGER_PARKING_ADDRESS",
    meaning: "IPv4 address of a new domain's records",
  }),
  fallbackRenewalPriceCents: euros.default(1_999n).register(settings, {
    variable: "HOSTLEDGER_FALLBACK_RENEWAL_PRICE",
    decimals: 2,
    meaning: "net price in euros of a year's renewal if the extension is no longer sold",
  }),
  suspendedBy: z
    .enum(["registrar", "zone"], "must be registrar or zone")
    .default("registrar")
    .register(settings, {
      variable: "HOSTLEDGER_SUSPENDED_BY",
      meaning: "how suspended domains stop resolving: the registrar holds them, or their zone is withdrawn",
    }),
};
