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

export type ListenerName = (typeof listenerNames)[number];

const listeners = z
  .string()
  .transform((list) => list.split(",").map((one) => one.trim()))
  .pipe(
    z.array(
      z.enum(listenerNames, `must be names of listeners (${listenerNames.join(", ")}), separated by commas`),
    ),
  );

export const listenerSettings = {
  host: host().register(settings, {
    variable: "HOSTLEDGER_HOST",
    flag: "--host",
    meaning: "address of the REST API's listener",
  }),
  adminHost: host().register(settings, {
    variable: "HOSTLEDGER_ADMIN_HOST",
    meaning: "address of the staff listener",
  }),
  rpcHost: host().register(settings, {
    variable: "HOSTLEDGER_RPC_HOST",
    meaning: "address of the listener for internal callers",
  }),
  esdbHost: host().register(settings, {
    variable: "HOSTLEDGER_ESDB_HOST",
    meaning: "address of the listener that serves the embedded store over EventStoreDB's protocol",
  }),
  allowClearText: listeners.optional().register(settings, {
    variable: "HOSTLEDGER_ALLOW_CLEAR_TEXT",
    meaning:
      "listeners (rest, admin, rpc, esdb) that may use clear text beyond this machine, because another program encrypts",
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

/** Settings of the event store and the read models, and of other access to the events. */
export const storeSettings = {
  eventStore: text(
    "must be embedded, esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…",
    /^(embedded|(esdb|kurrentdb)(\+discover)?:\/\/\S+)$/,
  )
    .default("embedded")
    .register(settings, { variable: "HOSTLEDGER_EVENT_STORE", meaning: "the event store" }),
  database: text("must be sqlite or postgres://…", /^(sqlite|postgres(ql)?:\/\/\S+)$/)
    .default("sqlite")
    .register(settings, { variable: "HOSTLEDGER_DATABASE", meaning: "database of the read models" }),
  startTimeoutMs: wholeNumber(100, 3_600_000).default(30_000).register(settings, {
    variable: "HOSTLEDGER_START_TIMEOUT_MS",
    meaning: "time limit of a start for an event store or database that does not answer, in milliseconds",
  }),
  esdbPort: port().optional().register(settings, {
    variable: "HOSTLEDGER_ESDB_PORT",
    flag: "--esdb-port",
    meaning: "port that serves the embedded store over EventStoreDB's protocol; 0 takes a free one",
  }),
  esdbWriters: oneOf("credential", "anyone").default("credential").register(settings, {
    variable: "HOSTLEDGER_ESDB_WRITERS",
    meaning: "who may write through that port: holders of the credential, or anyone on this machine",
  }),
  esdbReaders: oneOf("credentials", "anyone").optional().register(settings, {
    variable: "HOSTLEDGER_ESDB_READERS",
    meaning:
      "who may read through that port: holders of a credential (the default beyond this machine), or anyone",
  }),
  esdbCredential: text(
    "must be user:password, of 16 to 512 visible ASCII characters",
    /^(?=.{16,512}$)[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_ESDB_CREDENTIAL",
      meaning:
        "user:password for EventStoreDB clients that write and read everything; without it nobody can write",
      secret: true,
    }),
};

/** Settings by which the parts of a deployment find and identify each other. */
export const deploymentSettings = {
  accountUrls: baseUrls.optional().register(settings, {
    variable: "HOSTLEDGER_ACCOUNT_URL",
    meaning:
      "RPC addresses of the account service, for a gateway that runs alone and for a support service that runs alone and mails invoices",
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
      "RPC addresses of the audit service, for a gateway that runs alone and for whole instances that share one audit service instead of their own log",
  }),
  auditOrigin: text(
    "must be 1 to 100 letters, digits, dots, dashes and slashes",
    /^[A-Za-z0-9][A-Za-z0-9./-]{0,99}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_AUDIT_ORIGIN",
      meaning:
        "name of the audit log in its checkpoints, for example audit.example.com/log; by default drawn at the first start",
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
      "PEM file with the authority that signed the parts' certificates; callers of the RPC then need one",
  }),
};

/** Settings of the keys for calls between services, and of staff credentials. */
export const credentialSettings = {
  callerSecret: z
    .string()
    .refine(
      () => false,
      "is no longer used: remove it. Each part signs with a key of its own, made with `hostledger service-keys` for parts that run alone, and by itself for an instance",
    )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_CALLER_SECRET",
      meaning: "shared secret of earlier versions; refused with instructions",
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
      meaning: "the same key set as text, instead of a file",
    }),
  adminToken: secret().optional().register(settings, {
    variable: "HOSTLEDGER_ADMIN_TOKEN",
    meaning: "credential of the staff listener; by default admin.token in the data directory",
    secret: true,
  }),
  staffRecovery: oneOf("off", "on").default("off").register(settings, {
    variable: "HOSTLEDGER_STAFF_RECOVERY",
    meaning: "on: the token in admin.token acts as an owner again, if all owners have lost their tokens",
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

/** Settings of limits, trusted proxies, and addresses that may be reached for customers. */
export const limitSettings = {
  webhookAllow: networks.default([]).register(settings, {
    variable: "HOSTLEDGER_WEBHOOK_ALLOW",
    meaning: "private networks that webhooks may reach, for tests and intranets; by default none",
  }),
  trustedProxies: networks.optional().register(settings, {
    variable: "HOSTLEDGER_TRUSTED_PROXIES",
    meaning: "networks of proxies whose X-Forwarded-For is trusted; by default none",
  }),
  proxyProtocol: oneOf("off", "on").default("off").register(settings, {
    variable: "HOSTLEDGER_PROXY_PROTOCOL",
    meaning:
      "on: each connection of those proxies to the REST API begins with a PROXY header, version 1 or 2",
  }),
  rateLimit: wholeNumber(0, 1_000_000).default(600).register(settings, {
    variable: "HOSTLEDGER_RATE_LIMIT",
    meaning:
      "requests a minute of an API key, and failed authentications a minute of an address or key; 0 sets no limit",
  }),
  connectionLimit: wholeNumber(0, 10_000).default(2_048).register(settings, {
    variable: "HOSTLEDGER_CONNECTION_LIMIT",
    meaning:
      "connections to the REST API from one address, except trusted proxies; 0 leaves only the limit of 10000 for all",
  }),
  approvalCents: wholeNumber(0, 100_000_000_000).default(0).register(settings, {
    variable: "HOSTLEDGER_APPROVAL_CENTS",
    meaning:
      "cents that one person may post to one account within a day; more needs approval by another person; 0: no approval",
  }),
  scrubRate: wholeNumber(0, 1_000_000).default(1_000).register(settings, {
    variable: "HOSTLEDGER_SCRUB_RATE",
    meaning: "events a second that are compared with the audit log, again and again; 0 for none",
  }),
  queueLimit: wholeNumber(1, 1_000_000).default(20_000).register(settings, {
    variable: "HOSTLEDGER_QUEUE_LIMIT",
    meaning: "commands that may wait before new ones are refused",
  }),
};
