import { ConfigurationError, type Environment } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { describeConfiguration, readConfiguration } from "./index.ts";

function mistakesOf(env: Environment, overrides = {}): readonly string[] {
  try {
    readConfiguration(env, overrides);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes;
    throw error;
  }
  return [];
}

describe("readConfiguration", () => {
  it("has a default for everything but the secrets", () => {
    expect(readConfiguration({ PATH: "/bin", HOME: "/root" })).toEqual({
      host: "127.0.0.1",
      adminHost: "127.0.0.1",
      rpcHost: "127.0.0.1",
      esdbHost: "127.0.0.1",
      port: 8080,
      adminPort: 8081,
      rpcPort: 0,
      data: "./data",
      eventStore: "embedded",
      database: "sqlite",
      startTimeoutMs: 30_000,
      esdbWriters: "credential",
      registrar: "sandbox",
      dns: "sandbox",
      compute: "sandbox",
      vatIds: "sandbox",
      viesUrl: "https://ec.europa.eu/taxation_customs/vies/rest-api",
      payments: "none",
      paymentOrigins: [],
      stripeUrl: "https://api.stripe.com",
      sandboxLatencyMs: 0,
      sandboxLimboMs: 60_000,
      sandboxLateMs: 5_000,
      sandboxDurable: false,
      eppRegistry: "generic",
      eppSessions: 4,
      quietMs: 10_000,
      powerdnsServer: "localhost",
      powerdnsZoneKind: "native",
      powerdnsAccount: "hostledger",
      powerdnsDnssec: "no",
      proxmoxTaskLimitMs: 600_000,
      clockOffsetMs: 0,
      connectionLimit: 2_048,
      providerTimeoutMs: 5_000,
      registrarChecksPerMinute: 60,
      comparisonHours: 24,
      terminationDays: 14,
      logLevel: "info",
      logFormat: "json",
      nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
      parkingAddress: "192.0.2.10",
      fallbackRenewalPriceCents: 1_999n,
      suspendedBy: "registrar",
      sellerCountry: "DE",
      sellerExemptionReason: "Exempt from VAT.",
      sellerSmallBusiness: "false",
      tax: "flat",
      retainedDocumentYears: 8,
      retainedJournalYears: 10,
      timeZone: "Europe/Berlin",
      rateLimit: 600,
      queueLimit: 20_000,
      approvalCents: 0,
      debtReminderDays: [3, 10, 20],
      webhookAllow: [],
      proxyProtocol: "off",
      staffRecovery: "off",
      oidcClaim: "preferred_username",
      scrubRate: 1_000,
      otlpProtocol: "http/json",
      otlpTimeoutMs: 10_000,
      spanDelayMs: 5_000,
      metricIntervalMs: 60_000,
      traceSampler: "parentbased_always_on",
      traceRatio: 1,
      telemetryDisabled: "false",
    });
  });

  it("reads the environment", () => {
    const configuration = readConfiguration({
      HOSTLEDGER_PORT: "0",
      HOSTLEDGER_EVENT_STORE: "esdb+discover://admin:changeit@a:2113,b:2113?tls=true",
      HOSTLEDGER_CLOCK_OFFSET: "+51w",
      HOSTLEDGER_NAMESERVERS: "NS1.example.com., ns2.example.com",
      HOSTLEDGER_FALLBACK_RENEWAL_PRICE: "20.5",
      HOSTLEDGER_ADMIN_TOKEN: "0123456789abcdef",
    });
    expect(configuration).toMatchObject({
      port: 0,
      eventStore: "esdb+discover://admin:changeit@a:2113,b:2113?tls=true",
      clockOffsetMs: 51 * 7 * 86_400_000,
      nameservers: ["ns1.example.com", "ns2.example.com"],
      fallbackRenewalPriceCents: 2_050n,
      adminToken: "0123456789abcdef",
    });
  });

  it.each([
    [{}, 10_000],
    [{ HOSTLEDGER_DNS: "powerdns" }, 10_000],
    [{ HOSTLEDGER_REGISTRAR: "epp" }, 600_000],
    [{ HOSTLEDGER_COMPUTE: "proxmox" }, 600_000],
    [{ HOSTLEDGER_REGISTRAR: "epp", HOSTLEDGER_QUIET_MS: "0" }, 0],
  ])("waits after unanswered orders as long as its providers need: %o %i ms", (env, quietMs) => {
    expect(readConfiguration(env)).toMatchObject({ quietMs });
  });

  it("reads the registry's address, and refuses an invalid one", () => {
    const whole = {
      HOSTLEDGER_EPP_URL: "epps://epp.registry.example:700/",
      HOSTLEDGER_EPP_USER: "registrar",
      HOSTLEDGER_EPP_PASSWORD: "canary-password",
      HOSTLEDGER_EPP_CA: "/etc/epp/ca.pem",
      HOSTLEDGER_EPP_SESSIONS: "16",
    };
    expect(readConfiguration(whole)).toMatchObject({
      eppUrl: "epps://epp.registry.example:700",
      eppUser: "registrar",
      eppPassword: "canary-password",
      eppSessions: 16,
    });
    expect(JSON.stringify(describeConfiguration(readConfiguration(whole)))).not.toContain("canary");
    const address = "must be an address such as epps://epp.registry.example:700";
    for (const url of ["https://a:700", "epps://user:password@a:700", "epps://a:700/x"])
      expect(mistakesOf({ HOSTLEDGER_EPP_URL: url })[0]).toContain(`HOSTLEDGER_EPP_URL ${address}`);
    const password = "no";
    expect(mistakesOf({ HOSTLEDGER_EPP_PASSWORD: password, HOSTLEDGER_EPP_SESSIONS: "0" })).toEqual([
      "HOSTLEDGER_EPP_PASSWORD must be 6 to 255 characters.",
      'HOSTLEDGER_EPP_SESSIONS must be a whole number from 1 to 64, not "0".',
    ]);
  });

  it("reads the OpenID provider's address, which needs TLS beyond this machine", () => {
    const whole = {
      HOSTLEDGER_OIDC_ISSUER: "https://id.example.com/realms/staff",
      HOSTLEDGER_OIDC_CLIENT_ID: "console",
      HOSTLEDGER_OIDC_CLIENT_SECRET: "canary-secret",
      HOSTLEDGER_OIDC_REDIRECT_URI: "http://[::1]:8080/audit/callback",
      HOSTLEDGER_OIDC_CLAIM: "email",
    };
    expect(readConfiguration(whole)).toMatchObject({ oidcClientSecret: "canary-secret", oidcClaim: "email" });
    expect(JSON.stringify(describeConfiguration(readConfiguration(whole)))).not.toContain("canary");
    for (const [url, rule] of [
      [
        "http://id.example.com",
        "must be https, or http of this machine: nobody on a network may read or change",
      ],
      ["https://user:password@id.example.com", "must be an address such as https://id.example.com"],
      ["id.example.com", "must be an address such as https://id.example.com"],
    ] as const)
      expect(mistakesOf({ HOSTLEDGER_OIDC_ISSUER: url })[0]).toContain(`HOSTLEDGER_OIDC_ISSUER ${rule}`);
    expect(mistakesOf({ HOSTLEDGER_OIDC_REDIRECT_URI: "https://console.example.com/" })[0]).toContain(
      "HOSTLEDGER_OIDC_REDIRECT_URI must end with /audit/callback",
    );
  });

  it.each([
    ["0", 0],
    ["999999999", 999_999_999],
    ["1000000000", 1_000_000_000],
    ["100000000000", 100_000_000_000],
  ])("accepts %s cents as the limit of one person, up to the maximum in its own sentence", (value, cents) => {
    expect(readConfiguration({ HOSTLEDGER_APPROVAL_CENTS: value })).toMatchObject({ approvalCents: cents });
    const more = "100000000001";
    expect(mistakesOf({ HOSTLEDGER_APPROVAL_CENTS: more })).toEqual([
      `HOSTLEDGER_APPROVAL_CENTS must be a whole number from 0 to 100000000000, not "${more}".`,
    ]);
  });

  it.each([
    ["none", []],
    ["1", [1]],
    ["5, 14,365", [5, 14, 365]],
  ])("accepts %s as the days of reminders", (value, days) => {
    expect(readConfiguration({ HOSTLEDGER_DEBT_REMINDER_DAYS: value })).toMatchObject({
      debtReminderDays: days,
    });
  });

  it.each(["0,3", "3,3", "10,3", "3,", ",", "366", "1e1", "-1", "1.5", "1,2,3,4,5,6,7,8,9,10,11", "never"])(
    "refuses %s as the days of reminders",
    (value) => {
      expect(mistakesOf({ HOSTLEDGER_DEBT_REMINDER_DAYS: value })[0]).toMatch(
        /^HOSTLEDGER_DEBT_REMINDER_DAYS must be up to 10 whole numbers from 1 to 365, each above the one before/,
      );
    },
  );

  it.each(["-1", "1.5", "86400001", "ten"])("refuses %s ms of quiet and of lateness", (value) => {
    const rule = "must be a whole number from 0 to 86400000";
    expect(mistakesOf({ HOSTLEDGER_QUIET_MS: value, HOSTLEDGER_SANDBOX_LATE_MS: value })).toEqual([
      `HOSTLEDGER_SANDBOX_LATE_MS ${rule}, not "${value}".`,
      `HOSTLEDGER_QUIET_MS ${rule}, not "${value}".`,
    ]);
  });

  it("reads the settings of a part that runs alone", () => {
    const configuration = readConfiguration({
      HOSTLEDGER_DOMAIN_URL: "http://domain-1:8090/, https://[::1]:8090",
      HOSTLEDGER_ESDB_PORT: "2113",
      HOSTLEDGER_ESDB_CREDENTIAL: "ops:0123456789ab",
      HOSTLEDGER_TLS_CA: "/run/secrets/ca.pem",
      HOSTLEDGER_TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::/32,192.0.2.7",
    });
    expect(configuration).toMatchObject({
      domainUrls: ["http://domain-1:8090", "https://[::1]:8090"],
      esdbPort: 2113,
      esdbCredential: "ops:0123456789ab",
      tlsCa: "/run/secrets/ca.pem",
      trustedProxies: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"],
    });
  });

  it("prefers the command line", () => {
    const configuration = readConfiguration(
      { HOSTLEDGER_PORT: "1" },
      { port: "9000", data: "D", host: undefined },
    );
    expect(configuration).toMatchObject({ port: 9000, data: "D", host: "127.0.0.1" });
  });

  it("has an address for each listener", () => {
    const loopback = { adminHost: "127.0.0.1", rpcHost: "127.0.0.1", esdbHost: "127.0.0.1" };
    expect(readConfiguration({ HOSTLEDGER_HOST: "192.0.2.1" })).toMatchObject({
      host: "192.0.2.1",
      ...loopback,
    });
    const allowed = readConfiguration({
      HOSTLEDGER_ALLOW_CLEAR_TEXT: "rest, rpc",
      HOSTLEDGER_RPC_HOST: "::",
    });
    expect(allowed).toMatchObject({ ...loopback, rpcHost: "::", allowClearText: ["rest", "rpc"] });
  });

  it("treats an empty variable as absent", () => {
    expect(readConfiguration({ HOSTLEDGER_PORT: "" }).port).toBe(8080);
  });

  it.each([
    ["yes", true],
    ["1", true],
    ["true", true],
    ["no", false],
    ["0", false],
  ])("reads %s as one of two choices", (said, isDurable) => {
    const { sandboxDurable } = readConfiguration({ HOSTLEDGER_SANDBOX_DURABLE: said });
    expect(sandboxDurable).toBe(isDurable);
    expect(() => readConfiguration({ HOSTLEDGER_SANDBOX_DURABLE: "perhaps" })).toThrow(
      'HOSTLEDGER_SANDBOX_DURABLE must be yes or no, not "perhaps".',
    );
  });

  it("reports all mistakes at once, a sentence each", () => {
    const env = {
      HOSTLEDGER_PROT: "80",
      HOSTLEDGER_COLOUR: "red",
      HOSTLEDGER_PORT: "80a",
      HOSTLEDGER_REGISTRAR: "godaddy",
      HOSTLEDGER_CLOCK_OFFSET: "tomorrow",
      HOSTLEDGER_NAMESERVERS: "ns1.example.com",
    };
    expect(mistakesOf(env)).toEqual([
      "HOSTLEDGER_COLOUR is not a setting.",
      "HOSTLEDGER_PROT is not a setting; did you mean HOSTLEDGER_PORT?",
      'HOSTLEDGER_PORT must be a whole number from 0 to 65535, not "80a".',
      'HOSTLEDGER_REGISTRAR must be one of: sandbox, epp, not "godaddy".',
      'HOSTLEDGER_CLOCK_OFFSET must be a time such as +51w, -3d or 90m (units s, m, h, d, w), not "tomorrow".',
      'HOSTLEDGER_NAMESERVERS must be two to six host names separated by commas, not "ns1.example.com".',
    ]);
  });

  it.each([
    ["HOSTLEDGER_PORT", "65536"],
    ["HOSTLEDGER_PORT", "-1"],
    ["HOSTLEDGER_PORT", "1e3"],
    ["HOSTLEDGER_HOST", "a b"],
    ["HOSTLEDGER_ADMIN_HOST", "a/b"],
    ["HOSTLEDGER_ALLOW_CLEAR_TEXT", "rpc,staff"],
    ["HOSTLEDGER_ALLOW_CLEAR_TEXT", "rpc,"],
    ["HOSTLEDGER_EVENT_STORE", "http://example.com"],
    ["HOSTLEDGER_DATABASE", "mysql://x"],
    ["HOSTLEDGER_PROVIDER_TIMEOUT_MS", "0"],
    ["HOSTLEDGER_QUEUE_LIMIT", "0"],
    ["HOSTLEDGER_RATE_LIMIT", "-1"],
    ["HOSTLEDGER_RATE_LIMIT", "1000001"],
    ["HOSTLEDGER_PARKING_ADDRESS", "192.0.2.256"],
    ["HOSTLEDGER_FALLBACK_RENEWAL_PRICE", "19.999"],
    ["HOSTLEDGER_SUSPENDED_BY", "hold"],
    ["HOSTLEDGER_NAMESERVERS", "ns1.example.com,ns1.example.com"],
    ["HOSTLEDGER_NAMESERVERS", "ns1.example.com,ns_2.example.com"],
    ["HOSTLEDGER_LOG_LEVEL", "loud"],
    ["HOSTLEDGER_PROXMOX_URL", "http://pve1:8006"],
    ["HOSTLEDGER_PROXMOX_URL", "https://root:secret@pve1:8006"],
    ["HOSTLEDGER_PROXMOX_TOKEN", "root@pam"],
    ["HOSTLEDGER_PROXMOX_FINGERPRINT", "AA:BB"],
    ["HOSTLEDGER_PROXMOX_TASK_LIMIT_MS", "0"],
    ["HOSTLEDGER_ACCOUNT_URL", "account:8090"],
    ["HOSTLEDGER_ACCOUNT_URL", "http://user:password@account:8090"],
    ["HOSTLEDGER_ACCOUNT_URL", "http://account:8090/path"],
    ["HOSTLEDGER_ESDB_WRITERS", "everyone"],
    ["HOSTLEDGER_PROXY_PROTOCOL", "v2"],
    ["HOSTLEDGER_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["HOSTLEDGER_TRUSTED_PROXIES", "10.0.0.0/8,proxy.example.com"],
    ["HOSTLEDGER_TRUSTED_PROXIES", "10.0.0.0/8,"],
    ["HOSTLEDGER_START_TIMEOUT_MS", "0"],
    ["HOSTLEDGER_POWERDNS_URL", "dns.example.com:8081"],
    ["HOSTLEDGER_POWERDNS_URL", "https://user:password@dns.example.com"],
    ["HOSTLEDGER_POWERDNS_URL", "http://dns.example.com:8081"],
    ["HOSTLEDGER_POWERDNS_URL", "https://["],
    ["HOSTLEDGER_VAT_IDS", "bzst"],
    ["HOSTLEDGER_VIES_URL", "http://vies.example.com"],
    ["HOSTLEDGER_POWERDNS_API_KEY", "a b"],
    ["HOSTLEDGER_POWERDNS_SERVER", "../zones"],
    ["HOSTLEDGER_POWERDNS_ZONE_KIND", "slave"],
    ["HOSTLEDGER_POWERDNS_ACCOUNT", "two words"],
    ["HOSTLEDGER_POWERDNS_HOSTMASTER", "dns@example.com"],
  ])("refuses %s=%s with one sentence", (variable, value) => {
    expect(mistakesOf({ [variable]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${variable} must .+\\.$`)),
    ]);
  });

  it("names the flag when the mistake was made on the command line", () => {
    expect(mistakesOf({}, { adminPort: "x" })).toEqual([
      '--admin-port must be a whole number from 0 to 65535, not "x".',
    ]);
  });

  it("does not repeat a secret in a mistake", () => {
    expect(mistakesOf({ HOSTLEDGER_ADMIN_TOKEN: "hunter2" })).toEqual([
      "HOSTLEDGER_ADMIN_TOKEN must be 16 to 512 visible ASCII characters.",
    ]);
    expect(mistakesOf({ HOSTLEDGER_CALLER_SECRET: "0123456789abcdef" })).toEqual([
      "HOSTLEDGER_CALLER_SECRET is no longer used: remove it. Each part signs with a key of its own, made with `hostledger service-keys` for parts that run alone, and by itself for an instance.",
    ]);
    expect(mistakesOf({ HOSTLEDGER_ESDB_CREDENTIAL: "hunter2" })).toEqual([
      "HOSTLEDGER_ESDB_CREDENTIAL must be user:password, of 16 to 512 visible ASCII characters.",
    ]);
    expect(mistakesOf({ HOSTLEDGER_DATABASE: "mysql://root:hunter2@db" }).join()).not.toContain("hunter2");
  });
});

describe("describeConfiguration", () => {
  const described = describeConfiguration(
    readConfiguration({
      HOSTLEDGER_METRICS_TOKEN: "a-very-secret-secret-of-32-letters",
      HOSTLEDGER_EVENT_STORE: "esdb://admin:very-secret@a:2113?userPassword=very-secret&tls=true",
      HOSTLEDGER_DATABASE: "postgres://user:very-secret@db/hostledger",
    }),
  );
  const valueOf = (variable: string): string | undefined =>
    described.find((setting) => setting.variable === variable)?.value;

  it("shows each setting with its meaning", () => {
    expect(valueOf("HOSTLEDGER_PORT")).toBe("8080");
    expect(valueOf("HOSTLEDGER_NAMESERVERS")).toBe("ns1.hostledger.example,ns2.hostledger.example");
    expect(valueOf("HOSTLEDGER_FALLBACK_RENEWAL_PRICE")).toBe("19.99");
    expect(valueOf("HOSTLEDGER_ADMIN_TOKEN")).toBe("(not set)");
    expect(described.every(({ meaning }) => meaning.length > 10)).toBe(true);
  });

  it("hides secrets, and passwords inside addresses", () => {
    expect(JSON.stringify(described)).not.toContain("very-secret");
    expect(valueOf("HOSTLEDGER_METRICS_TOKEN")).toBe("(hidden)");
    expect(valueOf("HOSTLEDGER_DATABASE")).toBe("postgres://(hidden)@db/hostledger");
  });

  it("names every variable once", () => {
    const variables = described.map(({ variable }) => variable);
    expect(variables).toEqual([...new Set(variables)]);
    expect(variables.filter((variable) => !/^(HOSTLEDGER|OTEL)_/.test(variable))).toEqual([]);
  });
});
