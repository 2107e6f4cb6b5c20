import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { domain } from "@hostledger/protocol";
import type { EventStore } from "@hostledger/event-store";
import { createCallerTokens, createOutgoing } from "@hostledger/rpc";
import { ConfigurationError, systemClock } from "@hostledger/runtime";
import { unknown } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { describe, expect, it } from "vitest";

import { cutting, request, staffOf, start, temporaryData } from "./standalone.fixture.ts";

describe("an instance", () => {
  it("goes on after a restart with what it knew", async () => {
    const data = temporaryData();
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
      temporaryData(),
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

  it("closes once, however often it is told to", async () => {
    const instance = await start(temporaryData());
    await Promise.all([instance.close(), instance.close()]);
    await expect(fetch(instance.baseUrl)).rejects.toThrow();
  });

  it("finishes a registration that runs when it is told to close", async () => {
    const data = temporaryData();
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

  it("tells staff of the read models of every service, and rebuilds them", async () => {
    const data = temporaryData();
    const instance = await start(data);
    await instance.openDemo();
    const { projections } = staffOf(instance, data);
    const listed = (await projections.listProjections({})).projections;
    expect(listed.map(({ service, name }) => `${service}.${name}`).sort()).toEqual([
      "account.api_keys",
      "account.invoices",
      "audit.audited_accounts",
      "audit.audited_documents",
      "audit.auditor_credentials",
      "domain.deliveries",
      "domain.domains",
      "domain.life_cycles",
      "domain.pending_changes",
      "domain.prices",
      "domain.process_runs",
      "server.plans",
      "server.process_runs",
      "server.regions",
      "server.servers",
      "server.stock",
      "support.customers",
      "support.ticket_causes",
      "support.tickets",
    ]);
    const rebuilt = await projections.rebuildProjections({ name: "prices" });
    expect(rebuilt.projections).toMatchObject([{ service: "domain", name: "prices", rows: 6n, equal: true }]);
    await expect(projections.rebuildProjections({ name: "nothing" })).rejects.toMatchObject({
      code: Code.NotFound,
    });
  });

  it("leaves nothing open when it cannot start: the data can be used again", async () => {
    const occupied = await start(temporaryData());
    const data = temporaryData();
    const { port } = new URL(occupied.baseUrl);
    const stores: EventStore[] = [];
    const store = (opened: EventStore): EventStore => {
      stores.push(opened);
      return opened;
    };
    await expect(start(data, { HOSTLEDGER_PORT: port }, { store })).rejects.toThrow(
      "another program uses the port",
    );
    expect(stores).toHaveLength(1);
    await expect(Promise.all(stores.map((opened) => opened.lastPosition()))).rejects.toThrow();
    const instance = await start(data);
    await expect(instance.openDemo()).resolves.toBeDefined();
  });

  it("writes the staff credential it was given to where the command line looks for it", async () => {
    const data = temporaryData();
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
  const unsupported: readonly [string, string, string][] = [
    ["HOSTLEDGER_REGISTRAR", "epp", "sandbox"],
    ["HOSTLEDGER_DNS", "powerdns", "sandbox"],
    ["HOSTLEDGER_COMPUTE", "proxmox", "sandbox"],
  ];
  const sentence = ([variable, , supported]: readonly [string, string, string]): string =>
    `${variable} must be ${supported} in this version.`;

  it.each(unsupported)("refuses %s=%s with a sentence", async (variable, value, supported) => {
    const started = start(temporaryData(), { [variable]: value });
    await expect(started).rejects.toThrow(ConfigurationError);
    await expect(started).rejects.toMatchObject({ mistakes: [sentence([variable, value, supported])] });
  });

  it.each([
    ["HOSTLEDGER_EVENT_STORE", "esdb://user:secret@127.0.0.1:9?tls=false", /127\.0\.0\.1:9/],
    ["HOSTLEDGER_DATABASE", "postgres://user:secret@127.0.0.1:9/db", /127\.0\.0\.1:9|ECONNREFUSED/],
  ])(
    "says that nobody answers at %s, after a while and without the password",
    async (variable, value, said) => {
      const environment = { [variable]: value, HOSTLEDGER_START_TIMEOUT_MS: "300" };
      const failure: unknown = await start(temporaryData(), environment).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(String(failure)).toMatch(said);
      expect(String(failure)).not.toContain("secret");
    },
  );

  it("refuses everything at once, with one sentence each", async () => {
    const environment = Object.fromEntries(unsupported.map(([variable, value]) => [variable, value]));
    await expect(start(temporaryData(), environment)).rejects.toMatchObject({
      mistakes: unsupported.map(sentence),
    });
  });
});

describe("a log whose state is gone", () => {
  it("does not sign a new history until staff say why, which is a fact; customers are served meanwhile", async () => {
    const data = temporaryData();
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

describe("the demo", () => {
  it("opens an account with 500.00 euros and a price list on an empty store", async () => {
    const data = temporaryData();
    const instance = await start(data);
    const demo = await instance.openDemo();
    expect(demo).toEqual({ apiKey: demo?.apiKey, accountId: 1, serverIds: [1, 2] });
    await expect(request(instance, demo?.apiKey ?? "", "/billing/balance")).resolves.toEqual({
      status: 200,
      body: { balance: "500.00" },
    });
    const { prices } = await staffOf(instance, data).domains.listAllPrices({});
    const rows = prices.map(({ tld, active, ...price }) => [
      tld,
      price.registrationCents,
      price.renewalCents,
      price.transferCents,
      active,
    ]);
    expect(rows).toEqual([
      ["com", 1_000n, 1_200n, 1_000n, true],
      ["de", 600n, 600n, 0n, true],
      ["eu", 700n, 800n, 700n, true],
      ["io", 3_900n, 4_500n, 3_900n, true],
      ["net", 1_200n, 1_300n, 1_200n, true],
      ["org", 1_100n, 1_300n, 1_100n, true],
    ]);
  });

  it("opens three plans in two regions with stock, two servers and a ticket", async () => {
    const instance = await start(temporaryData());
    const demo = await instance.openDemo();
    const read = async (path: string): Promise<unknown> =>
      (await request(instance, demo?.apiKey ?? "", path)).body;
    const stock = (title: string, price: number, region: string) => ({
      stock: { plan: expect.objectContaining({ title, price }), stock: 10, available: true },
      region: expect.objectContaining({ region }),
    });
    const offer = await read("/stock");
    expect(offer).toHaveLength(6);
    expect(offer).toEqual(
      expect.arrayContaining(
        ["fra", "ams"].flatMap((region) => [
          stock("Small", 9.99, region),
          stock("Medium", 19.99, region),
          stock("Large", 39.99, region),
        ]),
      ),
    );
    expect(await read("/servers")).toMatchObject([
      { id: 1, plan_id: 1, suspended: false },
      { id: 2, plan_id: 2, suspended: false },
    ]);
    expect(await read("/tickets")).toMatchObject([
      { id: 1, status: "open", priority: "normal", server_id: 1 },
    ]);
    const toggles = await Promise.all(
      [1, 2].map((id) =>
        request(instance, demo?.apiKey ?? "", `/servers/${String(id)}/firewall/toggle`, { enable: false }),
      ),
    );
    // The second one is whitelisted.
    expect(toggles.map(({ status }) => status)).toEqual([403, 200]);
  });

  it("opens once: neither again nor after a restart", async () => {
    const data = temporaryData();
    const first = await start(data);
    await first.openDemo();
    await expect(first.openDemo()).resolves.toBeUndefined();
    await first.close();

    const second = await start(data);
    await expect(second.openDemo()).resolves.toBeUndefined();
    const { accounts } = staffOf(second, data);
    await expect(accounts.showAccount({ accountId: 1n })).resolves.toMatchObject({ balanceCents: 50_000n });
    await expect(accounts.showAccount({ accountId: 2n })).rejects.toMatchObject({ code: Code.NotFound });
  });

  it("goes on where an earlier start was cut off, whichever fact was its last", async () => {
    const whole = temporaryData();
    const first = await start(whole);
    await first.openDemo();
    await first.close();
    const { types, keepOnly } = cutting(whole);
    // After some prices, the account, its key, a plan, a server under way, one that is there, the ticket.
    const lasts = [3, 8, 13, 15, 28, 33, types.length];
    const complete = types.filter((type) => !/^(IdBlock|Compute)/.test(type));
    for (const last of lasts) {
      const data = keepOnly(last);
      const second = await start(data);
      const demo = await second.openDemo(false);
      // Numbers come from reserved blocks: a start goes on with the next one.
      expect([last, demo?.accountId, demo?.serverIds.length]).toEqual([last, 1, 2]);
      const balance = await request(second, demo?.apiKey ?? "", "/billing/balance");
      expect(balance).toEqual({ status: 200, body: { balance: "500.00" } });
      const lists = ["/servers", "/tickets", "/stock"].map(async (path) =>
        request(second, demo?.apiKey ?? "", path),
      );
      expect((await Promise.all(lists)).map(({ body }) => Array.isArray(body) && body.length)).toEqual([
        2, 1, 6,
      ]);
      await second.close();
      const again = cutting(data).types.filter((type) => !/^(IdBlock|Compute)/.test(type));
      // A key that nobody was shown has a successor; everything else is there once, whatever orders asked on their way.
      const keys = again.filter((type) => type === "ApiKeyIssued.v1").length;
      expect(keys).toBe(last >= 13 ? 2 : 1);
      expect(again.toSorted()).toEqual([...complete, ...(keys === 2 ? ["ApiKeyIssued.v1"] : [])].toSorted());
    }
  });

  it("opens nothing on a store that has data", async () => {
    const data = temporaryData();
    const instance = await start(data);
    await staffOf(instance, data).accounts.openAccount({ name: "Ada" });
    await expect(instance.openDemo()).resolves.toBeUndefined();
  });
});

describe("the listener for internal callers", () => {
  const transports: readonly [string, (baseUrl: string) => Transport][] = [
    ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
    ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
    ["Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ];

  /** A caller's headers, signed with the secret of the data directory as another service of ours would. */
  function signedWith(secret: string, accountId: number): Headers {
    const outgoing = createOutgoing(createCallerTokens(Buffer.from(secret), systemClock()));
    return outgoing({ caller: { kind: "account", accountId }, requestId: "request-1" });
  }

  it.each(transports)("serves the domain service over %s to whoever has a token", async (_, transportTo) => {
    const data = temporaryData();
    const instance = await start(data);
    await instance.openDemo();
    const client = createClient(domain.DomainService, transportTo(instance.rpcUrl));
    const secret = readFileSync(join(data, "caller.key"), "utf8").trim();

    await expect(client.listPrices({})).rejects.toMatchObject({ code: Code.Unauthenticated });
    const forged = { headers: signedWith("another secret of at least 32 bytes, not ours", 1) };
    await expect(client.listPrices({}, forged)).rejects.toMatchObject({ code: Code.Unauthenticated });

    const options = { headers: signedWith(secret, 1) };
    await expect(client.listPrices({}, options)).resolves.toMatchObject({ prices: { length: 6 } });
    await expect(client.registerDomain({ domain: "example.com" }, options)).resolves.toMatchObject({
      amountChargedCents: 1_190n,
      domain: { domainName: "example.com" },
    });
    await instance.close();
  });

  it("takes its secret from the configuration where one is given", async () => {
    const secret = "a secret that several machines share".replaceAll(" ", "-");
    const instance = await start(temporaryData(), { HOSTLEDGER_CALLER_SECRET: secret });
    const transport = createConnectTransport({ baseUrl: instance.rpcUrl, httpVersion: "1.1" });
    const client = createClient(domain.DomainService, transport);
    await expect(client.listDomains({}, { headers: signedWith(secret, 1) })).resolves.toMatchObject({
      domains: [],
    });
  });

  it("does not serve staff", async () => {
    const data = temporaryData();
    const instance = await start(data);
    const staff = staffOf({ adminUrl: instance.rpcUrl }, data);
    await expect(staff.accounts.openAccount({ name: "Ada" })).rejects.toMatchObject({
      code: Code.Unimplemented,
    });
  });
});
