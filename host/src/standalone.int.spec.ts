import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { domain } from "@hostledger/protocol";
import type { EventStore } from "@hostledger/store";
import { createOutgoing } from "@hostledger/rpc";
import { ConfigurationError } from "@hostledger/runtime";
import { unknown } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { makeServiceKeys } from "./service-keys/make-service-keys.ts";
import { cutting, request, staffOf, start, tokensIn } from "./standalone.fixture.ts";

describe("an instance", () => {
  it("continues after a restart with its data", async () => {
    const data = directoryOfTest();
    const first = await start(data);
    const demo = await first.openDemo();
    const apiKey = demo?.apiKey ?? "";
    await expect(request(first, apiKey, "/domains", { domain: "example.com" })).resolves.toMatchObject({
      status: 201,
    });
    await first.close();

    const second = await start(data);
    await expect(request(second, apiKey, "/domains")).resolves.toMatchObject({
      status: 200,
      body: [{ domain_name: "example.com", dns_records_count: 2 }],
    });
    await expect(request(second, apiKey, "/billing/balance")).resolves.toMatchObject({
      body: { balance: "488.10" },
    });
    await second.close();
  });

  it("pins no Idempotency-Key to an availability check that the registrar did not answer", async () => {
    let checks = 0;
    const instance = await start(
      directoryOfTest(),
      {},
      {
        registrar: (registrar) => ({
          ...plainRegistrar(registrar),
          check(name) {
            checks += 1;
            return checks === 1 ? Promise.resolve(unknown("No answer came.")) : registrar.check(name);
          },
        }),
      },
    );
    const demo = await instance.openDemo();
    const order = (name: string) =>
      request(instance, demo?.apiKey ?? "", "/domains", { domain: name }, { "idempotency-key": "one" });
    await expect(order("example.com")).resolves.toMatchObject({
      status: 500,
      body: { code: "registrar_failed" },
    });
    await expect(order("example.com")).resolves.toMatchObject({ status: 201 });
    await expect(order("other.com")).resolves.toMatchObject({
      status: 422,
      body: { code: "idempotency_conflict" },
    });
  });

  it("closes once, despite repeated calls", async () => {
    const instance = await start(directoryOfTest());
    await Promise.all([instance.close(), instance.close()]);
    await expect(fetch(instance.baseUrl)).rejects.toThrow();
  });

  it("finishes a running registration before it closes", async () => {
    const data = directoryOfTest();
    const ordered = Promise.withResolvers<undefined>();
    const instance = await start(
      data,
      { HOSTLEDGER_SANDBOX_LATENCY_MS: "150" },
      {
        registrar: (registrar) => ({
          ...plainRegistrar(registrar),
          register(order) {
            ordered.resolve(undefined);
            return registrar.register(order);
          },
        }),
      },
    );
    const demo = await instance.openDemo();
    const answer = request(instance, demo?.apiKey ?? "", "/domains", { domain: "example.com" });
    await ordered.promise;
    await instance.close();
    await expect(answer).resolves.toMatchObject({ status: 201, body: { domain: { dns_records_count: 2 } } });

    const next = await start(data);
    await expect(staffOf(next, data).domains.listRuns({})).resolves.toMatchObject({ runs: [] });
  });

  it("shows staff the read models of every service, and rebuilds them", async () => {
    const data = directoryOfTest();
    const instance = await start(data);
    await instance.openDemo();
    const { projections } = staffOf(instance, data);
    const listed = (await projections.listProjections({})).projections;
    expect(listed.map(({ service, name }) => `${service}.${name}`).sort()).toEqual([
      "account.api_keys",
      "account.holdings",
      "account.invoices",
      "account.payments",
      "account.profiles",
      "account.work",
      "audit.audited_accounts",
      "audit.audited_documents",
      "audit.audited_references",
      "audit.auditor_credentials",
      "domain.domains",
      "domain.prices",
      "domain.process_runs",
      "domain.work",
      "server.plans",
      "server.process_runs",
      "server.regions",
      "server.servers",
      "server.stock",
      "server.work",
      "support.all_streams",
      "support.customers",
      "support.notices",
      "support.ticket_causes",
      "support.tickets",
    ]);
    const rebuilt = await projections.rebuildProjections({ name: "prices" });
    expect(rebuilt.projections).toMatchObject([{ service: "domain", name: "prices", rows: 8n, equal: true }]);
    await expect(projections.rebuildProjections({ name: "nothing" })).rejects.toMatchObject({
      code: Code.NotFound,
    });
  });

  it("leaves nothing open when it cannot start: the data can be used again", async () => {
    const occupied = await start(directoryOfTest());
    const data = directoryOfTest();
    const { port } = new URL(occupied.baseUrl);
    const stores: EventStore[] = [];
    const store = (opened: EventStore): EventStore => {
      stores.push(opened);
      return opened;
    };
    // The listeners open first, so a taken port is reported before anything else opens.
    await expect(start(data, { HOSTLEDGER_PORT: port }, { store })).rejects.toThrow(
      "another program uses the port",
    );
    expect(stores).toHaveLength(0);
    // The listener of EventStoreDB's clients opens last.
    await expect(start(data, { HOSTLEDGER_ESDB_PORT: port }, { store })).rejects.toThrow("EADDRINUSE");
    expect(stores).toHaveLength(1);
    await expect(Promise.all(stores.map((opened) => opened.lastPosition()))).rejects.toThrow();
    const instance = await start(data);
    await expect(instance.openDemo()).resolves.toBeDefined();
  });

  it("writes the given staff credential to the command line's place", async () => {
    const data = directoryOfTest();
    const instance = await start(data, { HOSTLEDGER_ADMIN_TOKEN: "a-token-of-the-operator" });
    const file = join(data, "admin.token");
    expect(readFileSync(file, "utf8")).toBe("a-token-of-the-operator\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(staffOf(instance, data).accounts.openAccount({ name: "Ada" })).resolves.toMatchObject({
      accountId: 1n,
    });
  });
});

describe("the configuration of this version", () => {
  const unsupported: readonly [string, string, readonly string[]][] = [
    [
      "HOSTLEDGER_REGISTRAR",
      "epp",
      ["URL", "USER", "PASSWORD"].map(
        (setting) => `HOSTLEDGER_EPP_${setting} must be set where HOSTLEDGER_REGISTRAR is epp.`,
      ),
    ],
    [
      "HOSTLEDGER_DNS",
      "powerdns",
      [
        "HOSTLEDGER_POWERDNS_URL must say where PowerDNS is, since HOSTLEDGER_DNS is powerdns.",
        "HOSTLEDGER_POWERDNS_API_KEY (or _API_KEY_FILE) must be set, since HOSTLEDGER_DNS is powerdns.",
      ],
    ],
    [
      "HOSTLEDGER_COMPUTE",
      "proxmox",
      [
        "HOSTLEDGER_PROXMOX_URL must say where the cluster's API is, since HOSTLEDGER_COMPUTE is proxmox.",
        "HOSTLEDGER_PROXMOX_TOKEN (or _TOKEN_FILE) must be set, since HOSTLEDGER_COMPUTE is proxmox.",
        "HOSTLEDGER_PROXMOX_CONFIG must name a JSON file, since HOSTLEDGER_COMPUTE is proxmox.",
      ],
    ],
  ];

  it.each(unsupported)("refuses %s=%s with sentences", async (variable, value, mistakes) => {
    const started = start(directoryOfTest(), { [variable]: value });
    await expect(started).rejects.toThrow(ConfigurationError);
    await expect(started).rejects.toMatchObject({ mistakes });
  });

  it.each([
    ["HOSTLEDGER_EVENT_STORE", "esdb://user:secret@127.0.0.1:9?tls=false", /127\.0\.0\.1:9/],
    ["HOSTLEDGER_DATABASE", "postgres://user:secret@127.0.0.1:9/db", /127\.0\.0\.1:9|ECONNREFUSED/],
  ])(
    "reports that nothing answers at %s, after a while and without the password",
    async (variable, value, said) => {
      const environment = { [variable]: value, HOSTLEDGER_START_TIMEOUT_MS: "300" };
      const failure: unknown = await start(directoryOfTest(), environment).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(String(failure)).toMatch(said);
      expect(String(failure)).not.toContain("secret");
    },
  );

  it("refuses a certificate for the registry without its key", async () => {
    const environment = { HOSTLEDGER_REGISTRAR: "epp", HOSTLEDGER_EPP_CERTIFICATE: "client.pem" };
    await expect(start(directoryOfTest(), environment)).rejects.toThrow(
      "HOSTLEDGER_EPP_CERTIFICATE and HOSTLEDGER_EPP_KEY must be set together.",
    );
  });

  it("refuses everything at once, with its own sentences", async () => {
    const environment = Object.fromEntries(unsupported.map(([variable, value]) => [variable, value]));
    await expect(start(directoryOfTest(), environment)).rejects.toMatchObject({
      mistakes: unsupported.flatMap(([, , mistakes]) => mistakes),
    });
  });
});

describe("a log whose state is gone", () => {
  it("does not sign a new history until staff give a reason, which is an event; customers are served meanwhile", async () => {
    const data = directoryOfTest();
    const first = await start(data);
    const demo = await first.openDemo();
    await first.close();
    for (const name of readdirSync(join(data, "audit")))
      if (name !== "key") rmSync(join(data, "audit", name), { recursive: true });

    const instance = await start(data);
    const { auditors, audits } = staffOf(instance, data);
    await expect(request(instance, demo?.apiKey ?? "", "/billing/balance")).resolves.toMatchObject({
      status: 200,
    });
    await expect(audits.getCheckpoint({})).rejects.toThrow();
    const reason = "The disk of the log was lost.";
    await expect(auditors.restartAuditLog({ reason: "" })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
    const { origin } = await auditors.restartAuditLog({ reason });
    await expect(auditors.restartAuditLog({ reason })).rejects.toThrow("nothing was lost");
    await expect
      .poll(
        async () =>
          cutting(data).types.includes("AuditLogRestarted.v1") && (await audits.getCheckpoint({})).note,
      )
      .toContain(`${origin}\n`);
    await instance.close();
  });
});

describe("the listener for internal callers", () => {
  const transports: readonly [string, (baseUrl: string) => Transport][] = [
    ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
    ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
    ["Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ];

  /** A customer's headers, signed with the gateway's key of that directory. */
  function signedIn(data: string, accountId: number): Headers {
    const outgoing = createOutgoing(tokensIn(data, "gateway"), ["domain"]);
    return outgoing({ caller: { kind: "account", accountId }, requestId: "request-1" });
  }

  async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
    try {
      await call;
      return undefined;
    } catch (error) {
      return ConnectError.from(error).code;
    }
  }

  it.each(transports)("serves the domain service over %s to callers with a token", async (_, transportTo) => {
    const data = directoryOfTest();
    const instance = await start(data);
    await instance.openDemo();
    const client = createClient(domain.DomainService, transportTo(instance.rpcUrl));
    const others = directoryOfTest();
    makeServiceKeys(join(others, "service-keys"));
    for (const part of ["gateway", "domain", "account"])
      expect(statSync(join(data, "service-keys", `${part}.key`)).mode & 0o777).toBe(0o600);

    await expect(client.listPrices({})).rejects.toMatchObject({ code: Code.Unauthenticated });
    const forged = { headers: signedIn(others, 1) };
    await expect(client.listPrices({}, forged)).rejects.toMatchObject({ code: Code.Unauthenticated });

    const options = { headers: signedIn(data, 1) };
    await expect(client.listPrices({}, options)).resolves.toMatchObject({ prices: { length: 6 } });
    await expect(client.registerDomain({ domain: "example.com" }, options)).resolves.toMatchObject({
      amountChargedCents: 1_190n,
      domain: { domainName: "example.com" },
    });
    await instance.close();
  });

  it("accepts a gateway's new key at once, and the earlier one until it leaves the list", async () => {
    const data = directoryOfTest();
    const instance = await start(data);
    const client = createClient(
      domain.DomainService,
      createConnectTransport({ baseUrl: instance.rpcUrl, httpVersion: "1.1" }),
    );
    const listed = (headers: Headers) => client.listDomains({}, { headers });
    const first = signedIn(data, 1);
    await listed(first);
    makeServiceKeys(join(data, "service-keys"), "gateway");
    const second = signedIn(data, 1);
    expect(second.get("hostledger-caller")).not.toBe(first.get("hostledger-caller"));
    await Promise.all([listed(first), listed(second)]);
    makeServiceKeys(join(data, "service-keys"), "gateway");
    await listed(signedIn(data, 1));
    await expect.poll(() => codeOf(listed(first))).toBe(Code.Unauthenticated);
    await listed(second);
  });

  it("does not serve staff", async () => {
    const data = directoryOfTest();
    const instance = await start(data);
    const staff = staffOf({ adminUrl: instance.rpcUrl }, data);
    await expect(staff.accounts.openAccount({ name: "Ada" })).rejects.toMatchObject({
      code: Code.Unimplemented,
    });
  });
});
