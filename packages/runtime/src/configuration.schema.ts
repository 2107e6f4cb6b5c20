import { z } from "zod";

import { parseClockOffset } from "./clock.ts";

/** What a person needs to know of one setting. */
export interface Setting {
  /** The environment variable. */
  readonly variable: string;
  /** The flag of `hostledger start` that means the same and wins over the variable. */
  readonly flag?: string;
  /** One line for `hostledger config` and the documents. */
  readonly meaning: string;
  /** Never shown. */
  readonly secret?: true;
}

/** The settings' names and meanings, by schema. */
export const settings = z.registry<Setting>();

const text = (rule: string, pattern: RegExp): z.ZodString => z.string().regex(pattern, rule);

function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${String(least)} to ${String(most)}`;
  return text(rule, /^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

function oneOf<const Choice extends string>(...choices: readonly [Choice, ...Choice[]]) {
  return z.enum(choices, `must be one of: ${choices.join(", ")}`);
}

const port = () => wholeNumber(0, 65_535);
const milliseconds = (most: number) => wholeNumber(0, most);

/** 64 bits of randomness as hexadecimal digits are 16 characters; a shorter secret can be guessed. */
const secret = (least = 16) =>
  text(
    `must be ${String(least)} to 512 visible ASCII characters`,
    new RegExp(`^[\\x21-\\x7e]{${String(least)},512}$`),
  );

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

const clockOffset = z.string().transform((offset, context) => {
  const value = parseClockOffset(offset);
  if (value !== undefined) return value;
  context.addIssue({
    code: "custom",
    message: "must be a time such as +51w, -3d or 90m (units s, m, h, d, w)",
  });
  return z.NEVER;
});

const euros = text("must be an amount in euros such as 19.99", /^\d{1,7}(\.\d{1,2})?$/).transform(
  (amount) => {
    const [whole = "", decimals = ""] = amount.split(".");
    return BigInt(whole + decimals.padEnd(2, "0"));
  },
);

const baseUrls = z
  .string()
  .transform((list) => list.split(",").map((url) => url.trim().replace(/\/$/, "")))
  .refine(
    (urls) => urls.length <= 64 && urls.every((url) => /^https?:\/\/[^\s/?#@]+$/.test(url)),
    "must be one or more addresses such as http://domain:8090, separated by commas",
  );

/** One line of an invoice's head. */
const line = () => text("must be one line of 1 to 200 characters", /^(?=.*\S)[^\p{Cc}\u2028\u2029]{1,200}$/u);

const path = () => text("must be a path", /^[^\0]{1,4096}$/);

/** How long simulated parties may keep quiet about an order that they carry out after all. */
const simulatedQuietMs = 10_000;

/** The same of real ones. */
const realQuietMs = 600_000;

/**
 * Defaults that depend on other settings, as they would have been typed.
 *
 * @param typed what was said, by setting.
 */
export function dependentDefaults(typed: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const isReal = ["registrar", "compute"].some((party) => (typed.get(party) ?? "sandbox") !== "sandbox");
  return isReal ? { quietMs: String(realQuietMs) } : {};
}

/** Every setting: its name, its rule, what it is when nothing is said. An absent value means the default. */
export const configurationSchema = z.object({
  host: text("must be a host name or an IP address", /^[A-Za-z0-9.:_-]{1,253}$/)
    .default("127.0.0.1")
    .register(settings, {
      variable: "HOSTLEDGER_HOST",
      flag: "--host",
      meaning: "address that the listeners bind to",
    }),
  port: port().default(8080).register(settings, {
    variable: "HOSTLEDGER_PORT",
    flag: "--port",
    meaning: "port of the REST API; 0 takes a free one",
  }),
  adminPort: port().default(8081).register(settings, {
    variable: "HOSTLEDGER_ADMIN_PORT",
    flag: "--admin-port",
    meaning: "port of the staff RPC; 0 takes a free one",
  }),
  rpcPort: port().default(0).register(settings, {
    variable: "HOSTLEDGER_RPC_PORT",
    meaning: "port of the services' RPC for internal callers; 0 takes a free one",
  }),
  data: path().default("./data").register(settings, {
    variable: "HOSTLEDGER_DATA",
    flag: "--data",
    meaning: "directory that holds everything the process keeps",
  }),
  eventStore: text(
    "must be embedded, esdb://… or esdb+discover://…",
    /^(embedded|esdb(\+discover)?:\/\/\S+)$/,
  )
    .default("embedded")
    .register(settings, { variable: "HOSTLEDGER_EVENT_STORE", meaning: "the system of record" }),
  database: text("must be sqlite or postgres://…", /^(sqlite|postgres(ql)?:\/\/\S+)$/)
    .default("sqlite")
    .register(settings, { variable: "HOSTLEDGER_DATABASE", meaning: "where the read models are" }),
  startTimeoutMs: wholeNumber(100, 3_600_000).default(30_000).register(settings, {
    variable: "HOSTLEDGER_START_TIMEOUT_MS",
    meaning: "how long a start waits for an event store or database that does not answer, in milliseconds",
  }),
  esdbPort: port().optional().register(settings, {
    variable: "HOSTLEDGER_ESDB_PORT",
    flag: "--esdb-port",
    meaning: "port on which the embedded store speaks EventStoreDB's protocol; 0 takes a free one",
  }),
  esdbWriters: oneOf("credential", "anyone").default("credential").register(settings, {
    variable: "HOSTLEDGER_ESDB_WRITERS",
    meaning: "who may write through that port: who has the credential, or anyone of this machine",
  }),
  esdbCredential: text(
    "must be user:password, of 16 to 512 visible ASCII characters",
    /^(?=.{16,512}$)[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_ESDB_CREDENTIAL",
      meaning: "user:password with which EventStoreDB's clients may write; without it they read only",
      secret: true,
    }),
  accountUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_ACCOUNT_URL",
    meaning: "RPC addresses of the account service, for parts that run alone",
  }),
  domainUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_DOMAIN_URL",
    meaning: "RPC addresses of the domain service, for a gateway that runs alone",
  }),
  serverUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_SERVER_URL",
    meaning: "RPC addresses of the server service, for a gateway that runs alone",
  }),
  supportUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_SUPPORT_URL",
    meaning: "RPC addresses of the support service, for a gateway that runs alone",
  }),
  auditUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_AUDIT_URL",
    meaning:
      "RPC addresses of the audit service, for a gateway that runs alone; without it staff cannot audit there",
  }),
  auditOrigin: text(
    "must be 1 to 100 letters, digits, dots, dashes and slashes",
    /^[A-Za-z0-9][A-Za-z0-9./-]{0,99}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_AUDIT_ORIGIN",
      meaning:
        "name of the audit log in its checkpoints, for example audit.example.com/log; made up at the first start",
    }),
  tlsCertificate: path().optional().register(settings, {
    variable: "HOSTLEDGER_TLS_CERTIFICATE",
    meaning: "PEM file with the certificate of this part, for its RPC and EventStoreDB listeners",
  }),
  tlsKey: path().optional().register(settings, {
    variable: "HOSTLEDGER_TLS_KEY",
    meaning: "PEM file with the key of that certificate",
  }),
  tlsCa: path().optional().register(settings, {
    variable: "HOSTLEDGER_TLS_CA",
    meaning: "PEM file with the authority that the parts' certificates come from: callers must show one",
  }),
  registrar: oneOf("sandbox", "epp")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_REGISTRAR", meaning: "the registrar" }),
  dns: oneOf("sandbox", "powerdns")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_DNS", meaning: "the DNS server" }),
  compute: oneOf("sandbox", "proxmox")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_COMPUTE", meaning: "the compute cluster" }),
  sandboxLatencyMs: milliseconds(600_000).default(0).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATENCY_MS",
    meaning: "how long every call of a simulated provider takes, in milliseconds",
  }),
  sandboxLimboMs: milliseconds(86_400_000).default(60_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LIMBO_MS",
    meaning: "how long an order of a name with `limbo` stays unsettled, in milliseconds",
  }),
  sandboxLateMs: milliseconds(86_400_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATE_MS",
    meaning: "how long after it was sent an order of a name with `late` is carried out, in milliseconds",
  }),
  quietMs: milliseconds(86_400_000).default(simulatedQuietMs).register(settings, {
    variable: "HOSTLEDGER_QUIET_MS",
    meaning:
      'how long after an unanswered order "not held" must be said again before it counts, in milliseconds; 600000 unless all parties are simulated',
  }),
  clockOffsetMs: clockOffset.default(0).register(settings, {
    variable: "HOSTLEDGER_CLOCK_OFFSET",
    meaning: "moves the clock, for example +51w",
  }),
  providerTimeoutMs: wholeNumber(1, 600_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_PROVIDER_TIMEOUT_MS",
    meaning: "how long an answer of a provider is waited for, in milliseconds",
  }),
  logLevel: oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent")
    .default("info")
    .register(settings, { variable: "HOSTLEDGER_LOG_LEVEL", meaning: "least severity that is logged" }),
  logFormat: oneOf("json", "pretty")
    .default("json")
    .register(settings, { variable: "HOSTLEDGER_LOG_FORMAT", meaning: "form of the log on stderr" }),
  callerSecret: secret(32).optional().register(settings, {
    variable: "HOSTLEDGER_CALLER_SECRET",
    meaning: "signs callers' identities between services; by default a file of the data directory",
    secret: true,
  }),
  adminToken: secret().optional().register(settings, {
    variable: "HOSTLEDGER_ADMIN_TOKEN",
    meaning: "credential of the staff RPC; by default a file of the data directory",
    secret: true,
  }),
  nameservers: nameservers
    .default(["ns1.hostledger.example", "ns2.hostledger.example"])
    .register(settings, { variable: "HOSTLEDGER_NAMESERVERS", meaning: "the service's own nameservers" }),
  parkingAddress: z.ipv4("must be an IPv4 address").default("192.0.2.10").register(settings, {
    variable: "HOSTLEDGER_PARKING_ADDRESS",
    meaning: "IPv4 address that a new domain's records point to",
  }),
  fallbackRenewalPriceCents: euros.default(1_999n).register(settings, {
    variable: "HOSTLEDGER_FALLBACK_RENEWAL_PRICE",
    meaning: "net euros a year to renew a domain whose extension is no longer sold",
  }),
  sellerName: line().optional().register(settings, {
    variable: "HOSTLEDGER_SELLER_NAME",
    meaning:
      "name of the seller on invoices; without one every invoice says that its seller is a placeholder",
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
  sellerVatId: text(
    "must be a VAT identifier with its country's prefix such as DE123456789",
    /^[A-Z]{2}[A-Z0-9+*]{2,12}$/,
  )
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
    meaning: "why the accounts without VAT have none, as their invoices say it",
  }),
  rateLimit: wholeNumber(0, 1_000_000).default(600).register(settings, {
    variable: "HOSTLEDGER_RATE_LIMIT",
    meaning: "requests that an API key has a minute, and failed authentications an address; 0 sets no limit",
  }),
  queueLimit: wholeNumber(1, 1_000_000).default(20_000).register(settings, {
    variable: "HOSTLEDGER_QUEUE_LIMIT",
    meaning: "how many commands may wait before new ones are turned away",
  }),
});

/** Everything a process is told from outside, checked. */
export type Configuration = Readonly<z.output<typeof configurationSchema>>;
