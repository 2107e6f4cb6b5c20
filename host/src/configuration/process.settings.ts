import { settings, oneOf, path, text, wholeNumber } from "@hostledger/runtime";
import { z } from "zod";

const port = () => wholeNumber(0, 65_535);

/** 64 bits of randomness as hexadecimal digits are 16 characters; a shorter secret can be guessed. */
const secret = () => text("must be 16 to 512 visible ASCII characters", /^[\x21-\x7e]{16,512}$/);

const baseUrls = z
  .string()
  .transform((list) => list.split(",").map((url) => url.trim().replace(/\/$/, "")))
  .refine(
    (urls) => urls.length <= 64 && urls.every((url) => /^https?:\/\/[^\s/?#@]+$/.test(url)),
    "must be one or more addresses such as http://domain:8090, separated by commas",
  );

/** Each listener has an address of its own, so that opening one to the world opens no other. */
const host = () =>
  text("must be a host name or an IP address", /^[A-Za-z0-9.:_-]{1,253}$/).default("127.0.0.1");

/** The listeners of a process, by the names that operators know them by. */
export const listenerNames = ["rest", "admin", "rpc", "esdb"] as const;

/** One of a process's listeners. */
export type ListenerName = (typeof listenerNames)[number];

const listeners = z
  .string()
  .transform((list) => list.split(",").map((one) => one.trim()))
  .pipe(
    z.array(
      z.enum(listenerNames, `must be names of listeners (${listenerNames.join(", ")}), separated by commas`),
    ),
  );

/** Where a process listens. */
export const listenerSettings = {
  host: host().register(settings, {
    variable: "HOSTLEDGER_HOST",
    flag: "--host",
    meaning: "address that the REST API listens on",
  }),
  adminHost: host().register(settings, {
    variable: "HOSTLEDGER_ADMIN_HOST",
    meaning: "address that the staff RPC listens on",
  }),
  rpcHost: host().register(settings, {
    variable: "HOSTLEDGER_RPC_HOST",
    meaning: "address that the services' RPC listens on",
  }),
  esdbHost: host().register(settings, {
    variable: "HOSTLEDGER_ESDB_HOST",
    meaning: "address on which the embedded store speaks EventStoreDB's protocol",
  }),
  allowClearText: listeners.optional().register(settings, {
    variable: "HOSTLEDGER_ALLOW_CLEAR_TEXT",
    meaning:
      "listeners (rest, admin, rpc, esdb) that may speak clear text beyond this machine, where something else encrypts",
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
};

/** Where facts and read models are, and who else may reach the facts. */
export const storeSettings = {
  eventStore: text(
    "must be embedded, esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…",
    /^(embedded|(esdb|kurrentdb)(\+discover)?:\/\/\S+)$/,
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
  esdbReaders: oneOf("credentials", "anyone").optional().register(settings, {
    variable: "HOSTLEDGER_ESDB_READERS",
    meaning:
      "who may read through that port: who has a credential (the default beyond this machine), or anyone",
  }),
  esdbCredential: text(
    "must be user:password, of 16 to 512 visible ASCII characters",
    /^(?=.{16,512}$)[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_ESDB_CREDENTIAL",
      meaning:
        "user:password with which EventStoreDB's clients may write and read everything; without it nobody writes",
      secret: true,
    }),
};

/** How the parts of a deployment find and know each other. */
export const deploymentSettings = {
  accountUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_ACCOUNT_URL",
    meaning: "RPC addresses of the account service, for a gateway that runs alone",
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
      "RPC addresses of the audit service, for a gateway that runs alone; without it staff cannot audit there. A whole instance that has it keeps no audit log of its own",
  }),
  gatewayUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_GATEWAY_URL",
    meaning:
      "addresses of the gateway's staff listener, for a support service that runs alone and sends mail: invoices are laid out there",
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
    meaning:
      "PEM file with the certificate of this part, for its staff, RPC and EventStoreDB listeners; read again on SIGHUP",
  }),
  tlsKey: path().optional().register(settings, {
    variable: "HOSTLEDGER_TLS_KEY",
    meaning: "PEM file with the key of that certificate",
  }),
  tlsCa: path().optional().register(settings, {
    variable: "HOSTLEDGER_TLS_CA",
    meaning:
      "PEM file with the authority that the parts' certificates come from: callers of the RPC must show one",
  }),
};

/** What signs the calls between services, and what staff show. */
export const credentialSettings = {
  callerSecret: z
    .string()
    .refine(
      () => false,
      "is used no more: take it away. Each part signs with a key of its own, made with `hostledger service-keys` for parts that run alone, and by itself for an instance",
    )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_CALLER_SECRET",
      meaning: "what parts shared in earlier versions; refused, with the way to what took its place",
      secret: true,
    }),
  serviceKeyFile: path().optional().register(settings, {
    variable: "HOSTLEDGER_SERVICE_KEY_FILE",
    meaning:
      "file with the private key of this part (`hostledger service-keys`), by default in the data directory; read again when it changes",
  }),
  serviceJwksFile: path().optional().register(settings, {
    variable: "HOSTLEDGER_SERVICE_JWKS_FILE",
    meaning:
      "JSON Web Key Set with the public keys of all parts, by default in the data directory; read again when it changes",
  }),
  serviceJwks: text("must be a JSON Web Key Set of at most 16384 characters", /^\s*\{[\s\S]{0,16384}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_SERVICE_JWKS",
      meaning: "the same as text, where no file is to be read",
    }),
  adminToken: secret().optional().register(settings, {
    variable: "HOSTLEDGER_ADMIN_TOKEN",
    meaning: "credential of the staff RPC; by default a file of the data directory",
    secret: true,
  }),
  staffRecovery: oneOf("off", "on").default("off").register(settings, {
    variable: "HOSTLEDGER_STAFF_RECOVERY",
    meaning:
      "on: the token of admin.token acts as an owner again, for a deployment whose owners have lost theirs",
  }),
  metricsToken: secret().optional().register(settings, {
    variable: "HOSTLEDGER_METRICS_TOKEN",
    meaning: "credential that opens /metrics of the staff listener and nothing else",
    secret: true,
  }),
};

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const networks = z
  .string()
  .transform((list) => list.split(",").map((one) => one.trim()))
  .refine(
    (list) => list.length <= 64 && list.every((one) => network.safeParse(one).success),
    "must be addresses or networks such as 192.0.2.7 or 10.0.0.0/8, separated by commas",
  );

/** What is turned away, who may say where a request comes from, and what may be reached for customers. */
export const limitSettings = {
  webhookAllow: networks.default([]).register(settings, {
    variable: "HOSTLEDGER_WEBHOOK_ALLOW",
    meaning:
      "networks that webhooks may reach although they are not public, for tests and intranets; by default none",
  }),
  trustedProxies: networks.optional().register(settings, {
    variable: "HOSTLEDGER_TRUSTED_PROXIES",
    meaning:
      "networks of the proxies that may name the client's address in X-Forwarded-For; by default none may",
  }),
  proxyProtocol: oneOf("off", "on").default("off").register(settings, {
    variable: "HOSTLEDGER_PROXY_PROTOCOL",
    meaning:
      "on: every connection of those proxies to the REST API begins with a header of the PROXY protocol, version 1 or 2",
  }),
  rateLimit: wholeNumber(0, 1_000_000).default(600).register(settings, {
    variable: "HOSTLEDGER_RATE_LIMIT",
    meaning:
      "requests that an API key has a minute, and failed authentications an address or the beginning of a key; 0 sets no limit",
  }),
  connectionLimit: wholeNumber(0, 10_000).default(2_048).register(settings, {
    variable: "HOSTLEDGER_CONNECTION_LIMIT",
    meaning:
      "connections that one address may hold to the REST API, trusted proxies excepted; 0 sets no limit but that of all, 10000",
  }),
  approvalCents: wholeNumber(0, 100_000_000_000).default(0).register(settings, {
    variable: "HOSTLEDGER_APPROVAL_CENTS",
    meaning:
      "what one member of staff adds to a balance, or takes from it, within a day above so many cents in all waits until another person approves it; 0: none does",
  }),
  scrubRate: wholeNumber(0, 1_000_000).default(1_000).register(settings, {
    variable: "HOSTLEDGER_SCRUB_RATE",
    meaning:
      "events a second that are read again and compared with the audit log, round and round; 0 for none",
  }),
  queueLimit: wholeNumber(1, 1_000_000).default(20_000).register(settings, {
    variable: "HOSTLEDGER_QUEUE_LIMIT",
    meaning: "how many commands may wait before new ones are turned away",
  }),
};
