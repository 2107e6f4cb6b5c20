import { type Environment, oneOf, path, settings, text, wholeNumber } from "@hostledger/runtime";
import { z } from "zod";

import { safeUrl } from "./safe-url.ts";

const pathRule = "must name a site without a path, such as https://hosting.example";

function isOrigin(site: string): boolean {
  return URL.canParse(site) && new URL(site).pathname === "/";
}

const milliseconds = (most: number) => wholeNumber(0, most);

const yesOrNo = text("must be yes or no", /^(yes|no|true|false|1|0)$/).transform((said) =>
  ["yes", "true", "1"].includes(said),
);

/** VIES's REST API ("VIES on-the-Web", technical information). */
const viesUrl = "https://ec.europa.eu/taxation_customs/vies/rest-api";

/** Sites by origin: https, or http of this machine. */
const origins = z
  .string()
  .transform((list) => list.split(",").map((one) => one.trim().replace(/\/$/, "")))
  .pipe(
    z
      .array(
        safeUrl("https://hosting.example", "customers return there after paying").refine(isOrigin, pathRule),
      )
      .max(64),
  )
  .transform((sites) => sites.map((site) => new URL(site).origin));

/** Quiet period for simulated providers, in milliseconds. */
const simulatedQuietMs = 10_000;

/** The same of real ones. */
const realQuietMs = 600_000;

/** Settings of registrar, DNS server and compute provider, and of the simulated ones. */
export const providerSettings = {
  registrar: oneOf("sandbox", "epp")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_REGISTRAR", meaning: "the registrar" }),
  registrarsFile: path().optional().register(settings, {
    variable: "HOSTLEDGER_REGISTRARS_FILE",
    meaning: "JSON file with further registrars, which the price list selects for an extension",
  }),
  dns: oneOf("sandbox", "powerdns")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_DNS", meaning: "the DNS server" }),
  compute: oneOf("sandbox", "proxmox")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_COMPUTE", meaning: "the compute cluster" }),
  vatIds: oneOf("sandbox", "vies").default("sandbox").register(settings, {
    variable: "HOSTLEDGER_VAT_IDS",
    meaning: "the register of VAT ids: vies asks the European Commission's",
  }),
  viesUrl: safeUrl(viesUrl, "customers' VAT ids are sent there")
    .default(viesUrl)
    .register(settings, { variable: "HOSTLEDGER_VIES_URL", meaning: "address of VIES's REST API" }),
  payments: oneOf("none", "sandbox", "stripe").default("none").register(settings, {
    variable: "HOSTLEDGER_PAYMENTS",
    meaning:
      "who takes customers' payments: none, stripe, or sandbox, which credits money that nobody pays; sandbox in a demo with simulated providers",
  }),
  paymentOrigins: origins.default([]).register(settings, {
    variable: "HOSTLEDGER_PAYMENT_ORIGINS",
    meaning:
      "sites to which customers may return after paying, such as https://hosting.example; by default none",
  }),
  sandboxData: path().optional().register(settings, {
    variable: "HOSTLEDGER_SANDBOX_DATA",
    meaning:
      "directory of the simulated providers' data, for instances that share it; by default the data directory",
  }),
  sandboxLatencyMs: milliseconds(600_000).default(0).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATENCY_MS",
    meaning: "delay of every call of a simulated provider, in milliseconds",
  }),
  sandboxLimboMs: milliseconds(86_400_000).default(60_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LIMBO_MS",
    meaning: "time for which an order of a name with `limbo` stays unknown, in milliseconds",
  }),
  sandboxLateMs: milliseconds(86_400_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATE_MS",
    meaning:
      "time between the first question and the execution of an order of a name with `late`, in milliseconds",
  }),
  sandboxDurable: yesOrNo.default(false).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_DURABLE",
    meaning: "whether simulated providers sync each write, so that orders survive a power cut",
  }),
  quietMs: milliseconds(86_400_000).default(simulatedQuietMs).register(settings, {
    variable: "HOSTLEDGER_QUIET_MS",
    meaning:
      'time after which "not held" must be repeated to count for an unanswered order, in milliseconds; 600000 unless all providers are simulated',
  }),
};

/** Returns longer quiet periods if real providers fulfil orders. @param said settings by name. */
export function providerDefaults(said: Environment): Environment {
  const isReal =
    said.registrarsFile !== undefined ||
    [said.registrar, said.compute].some((provider) => (provider ?? "sandbox") !== "sandbox");
  return isReal ? { quietMs: String(realQuietMs) } : {};
}

export const providerLimitSettings = {
  providerTimeoutMs: wholeNumber(1, 600_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_PROVIDER_TIMEOUT_MS",
    meaning: "time limit of a call to a provider, in milliseconds",
  }),
  registrarChecksPerMinute: wholeNumber(0, 60_000).default(60).register(settings, {
    variable: "HOSTLEDGER_REGISTRAR_CHECKS",
    meaning: "domains a minute about which the registrar is asked whether it still holds them; 0 for none",
  }),
  comparisonHours: wholeNumber(0, 8_760).default(24).register(settings, {
    variable: "HOSTLEDGER_RECONCILE_HOURS",
    meaning: "hours between comparisons of the books with all providers; 0 for no comparison",
  }),
};

/** Stripe's API. */
const stripeUrl = "https://api.stripe.com";

/** Stripe behind `HOSTLEDGER_PAYMENTS=stripe`, or behind the payments that customers made while that was the setting. */
export const stripeSettings = {
  stripeSecretKey: text(
    "must be a secret or restricted key such as sk_live_…",
    /^[rs]k_(?:live|test)_[A-Za-z0-9]{10,200}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_STRIPE_SECRET_KEY",
      meaning:
        "Stripe's secret key, or a restricted one; keep it after HOSTLEDGER_PAYMENTS was changed, so that older payments are followed",
      secret: true,
    }),
  stripeWebhookSecret: text("must be a signing secret such as whsec_…", /^whsec_[\x21-\x7e]{10,200}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_STRIPE_WEBHOOK_SECRET",
      meaning:
        "signing secret of the webhook endpoint /payments/stripe; without it Stripe's webhooks are refused",
      secret: true,
    }),
  stripeUrl: safeUrl(stripeUrl, "the secret key must not pass a network in clear text")
    .default(stripeUrl)
    .register(settings, { variable: "HOSTLEDGER_STRIPE_URL", meaning: "address of Stripe's API" }),
};

/** The PowerDNS Authoritative Server behind `HOSTLEDGER_DNS=powerdns`. */
export const powerdnsSettings = {
  powerdnsUrl: safeUrl("https://dns.example.com:8443", "the API key must not pass a network in clear text")
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_URL",
      meaning: "address of PowerDNS's webserver, without /api/v1",
    }),
  powerdnsApiKey: text("must be 1 to 512 visible ASCII characters", /^[\x21-\x7e]{1,512}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_API_KEY",
      meaning: "PowerDNS's api-key",
      secret: true,
    }),
  powerdnsServer: text("must be the name of a server, for example localhost", /^[\w.-]{1,253}$/)
    .default("localhost")
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_SERVER",
      meaning: "PowerDNS's name in its own API",
    }),
  powerdnsZoneKind: oneOf("native", "primary").default("native").register(settings, {
    variable: "HOSTLEDGER_POWERDNS_ZONE_KIND",
    meaning: "native if PowerDNS's database is replicated, primary if secondaries are notified (NOTIFY)",
  }),
  powerdnsAccount: text("must be 1 to 40 letters, digits, dots, dashes and underscores", /^[\w.-]{1,40}$/)
    .default("hostledger")
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_ACCOUNT",
      meaning: "account of this instance's zones, which tells them from zones of others on the same server",
    }),
  powerdnsHostmaster: text(
    "must be a mailbox as a name, for example hostmaster.example.com",
    /^[a-z0-9_-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_HOSTMASTER",
      meaning: "mailbox in the SOA of new zones; by default hostmaster at the first nameserver's domain",
    }),
  powerdnsDnssec: oneOf("no", "yes").default("no").register(settings, {
    variable: "HOSTLEDGER_POWERDNS_DNSSEC",
    meaning: "whether new zones are signed",
  }),
};

/** The cluster of Proxmox VE behind `HOSTLEDGER_COMPUTE=proxmox`. */
export const proxmoxSettings = {
  proxmoxUrl: text(
    "must be an address such as https://pve1.example.com:8006, without user or path",
    /^https:\/\/[^\s/?#@]{1,255}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_URL",
      meaning: "address of the cluster's API, without /api2/json",
    }),
  proxmoxToken: text(
    "must be an API token such as user@realm!id=uuid",
    /^[\x21-\x7e]{1,128}@[\w.-]{1,64}![\w.-]{1,64}=[\da-f-]{36}$/i,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_TOKEN",
      meaning: "API token of the cluster, user@realm!id=uuid",
      secret: true,
    }),
  proxmoxFingerprint: text(
    "must be a SHA-256 fingerprint of 32 pairs with colons between, such as openssl x509 -fingerprint -sha256 prints",
    /^(?:[\da-f]{2}:){31}[\da-f]{2}$/i,
  )
    .transform((pairs) => pairs.toUpperCase())
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_FINGERPRINT",
      meaning:
        "SHA-256 of the only trusted certificate; without it an authority must have signed the certificate",
    }),
  proxmoxConfig: path().optional().register(settings, {
    variable: "HOSTLEDGER_PROXMOX_CONFIG",
    meaning: "JSON file with the cluster's templates, bridge, regions and addresses for servers",
  }),
  proxmoxTaskLimitMs: wholeNumber(1_000, 86_400_000).default(600_000).register(settings, {
    variable: "HOSTLEDGER_PROXMOX_TASK_LIMIT_MS",
    meaning: "time limit for making one server, in milliseconds; a clone copies a whole disk",
  }),
};
