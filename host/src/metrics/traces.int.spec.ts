import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";

import { readConfiguration } from "../configuration/index.ts";
import { startStandaloneNode } from "../event-store-node.ts";
import { request, start, staffOf } from "../standalone.fixture.ts";
import { startParts } from "../start-parts.ts";
import { pathOf, startCollector, type ArrivedSpan, type Collector } from "./collector.fixture.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

function to(collector: Pick<Collector, "url">): Readonly<Record<string, string>> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20" };
}

function traced(collector: Collector, trace = traceId): readonly ArrivedSpan[] {
  return collector.spans().filter((span) => span.traceId === trace);
}

/**
 * Returns the paths of the trace's spans after all of these have arrived. `?` is the caller's span, which was never
 * sent.
 */
async function pathsWith(
  collector: Collector,
  expected: readonly string[],
  trace = traceId,
): Promise<readonly string[]> {
  const paths = () => {
    const spans = traced(collector, trace);
    return spans.map((span) => pathOf(span, spans));
  };
  await expect.poll(paths, { timeout: 20_000 }).toEqual(expect.arrayContaining([...expected]));
  return paths();
}

const entrance = "? > POST /domains";
const rpc = `${entrance} > hosting.domain.v1.DomainService/RegisterDomain`;
const run = `${rpc} > registration begins`;
const charge = `${run} > command ChargeBalance`;

/** From the gateway to the provider and the read models. */
const layers = [
  entrance,
  `${entrance} > hosting.account.v1.AccountService/ResolveApiKey`,
  rpc,
  `${rpc} > registrar check`,
  `${rpc} > command ReserveRegistration`,
  `${rpc} > command ReserveRegistration > append`,
  `${rpc} > command ReserveRegistration > append > projection domain`,
  run,
  charge,
  `${charge} > append`,
  `${charge} > append > projection account`,
  `${run} > append`,
  `${run} > append > projection domain`,
  `${run} > registrar register`,
  `${run} > command RegisterDomain`,
  `${run} > command RegisterDomain > append > projection domain`,
];

/** All attributes that spans may have: none contains customer data. */
const knownAttributes = [
  "hostledger.append.events",
  "hostledger.attempt",
  "hostledger.commit.events",
  "hostledger.events",
  "hostledger.outcome",
  "hostledger.provider",
  "hostledger.service",
  "hostledger.stream.category",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "rpc.connect_rpc.error_code",
  "rpc.method",
  "rpc.system",
];

describe("the trace of a registration", () => {
  it("goes through every layer, each under the one that called it", async () => {
    const collector = await startCollector();
    const instance = await start(directoryOfTest(), to(collector));
    const demo = await instance.openDemo();
    const body = { domain: "example.com" };
    const answer = await request(instance, demo?.apiKey ?? "", "/domains", body, { traceparent });
    expect(answer.status).toBe(201);
    const paths = await pathsWith(collector, layers);
    // The caller's span is the parent of the request's alone.
    for (const path of paths) expect(path).toMatch(/^\? > POST \/domains/);
    expect(new Set(traced(collector).map(({ spanId }) => spanId)).size).toBe(paths.length);
    const top = traced(collector).find(({ name }) => name === "POST /domains");
    expect(top?.parentSpanId).toBe("00f067aa0ba902b7");
  });

  it("begins with the request if the caller sends none, under the request's id", async () => {
    const collector = await startCollector();
    const instance = await start(directoryOfTest(), to(collector));
    const demo = await instance.openDemo();
    const answer = await fetch(`${instance.baseUrl}/domains`, {
      headers: { authorization: demo?.apiKey ?? "", traceparent: `00-${traceId}-${"0".repeat(16)}-01` },
    });
    const id = answer.headers.get("x-request-id");
    await expect
      .poll(() => collector.spans().find(({ name }) => name === "GET /domains"), { timeout: 10_000 })
      .toMatchObject({ traceId: id });
    const top = collector.spans().find(({ name }) => name === "GET /domains");
    expect(top?.parentSpanId ?? "").toBe("");
  });

  it("holds no account, name, key or other text of a customer", async () => {
    const collector = await startCollector();
    const data = directoryOfTest();
    const instance = await start(data, to(collector));
    const demo = await instance.openDemo();
    const key = demo?.apiKey ?? "";
    await request(instance, key, "/domains", { domain: "secretive.com" }, { traceparent });
    await request(instance, key, "/tickets", { title: "secretive", message: "secretive" });
    await request(instance, key, "/domains/999");
    await staffOf(instance, data).accounts.showAccount({ accountId: BigInt(demo?.accountId ?? 0) });
    await pathsWith(collector, layers);
    await instance.close();
    const sent = collector.bodies.join("\n");
    expect(sent).not.toContain("secretive");
    expect(sent).not.toContain(key);
    const attributes = collector.spans().flatMap((span) => span.attributes);
    expect([...new Set(attributes.map(({ key: name }) => name))].toSorted()).toEqual(knownAttributes);
    const texts = attributes.map(({ value }) => value.stringValue).filter((value) => value !== undefined);
    for (const value of texts) expect(value).toMatch(/^[A-Za-z][A-Za-z0-9_./{}-]*$|^\/[a-z/{}-]*$/);
  });

  it("has an append of its own, also if one append contains many requests' commands", async () => {
    const collector = await startCollector();
    const instance = await start(directoryOfTest(), to(collector));
    const demo = await instance.openDemo();
    const traces = Array.from(
      { length: 12 },
      (_, index) => `4bf92f3577b34da6a3ce929d0e0e47${String(10 + index)}`,
    );
    await Promise.all(
      traces.map((trace, index) =>
        request(
          instance,
          demo?.apiKey ?? "",
          "/domains",
          { domain: `example-${String(index)}.com` },
          {
            traceparent: `00-${trace}-00f067aa0ba902b7-01`,
          },
        ),
      ),
    );
    for (const trace of traces) await pathsWith(collector, layers, trace);
    await instance.close();
    const sizes = collector.spans().flatMap(({ attributes }) => {
      const size = attributes.find(({ key }) => key === "hostledger.append.events")?.value.intValue;
      return size === undefined ? [] : [Number(size)];
    });
    expect(Math.max(...sizes)).toBeGreaterThan(5);
  });

  it("continues with the run after a restart", async () => {
    const collector = await startCollector();
    const data = directoryOfTest();
    const settings = { ...to(collector), HOSTLEDGER_PROVIDER_TIMEOUT_MS: "2000" };
    // However long the first takes to end, the quiet period is not over in it.
    const first = await start(data, { ...settings, HOSTLEDGER_QUIET_MS: "3600000" });
    const demo = await first.openDemo();
    const body = { domain: "timeout.com" };
    await request(first, demo?.apiKey ?? "", "/domains", body, { traceparent });
    await first.close();
    const before = traced(collector).length;
    expect(traced(collector).map(({ name }) => name)).not.toContain("registration goes on");
    const second = await start(data, { ...settings, HOSTLEDGER_QUIET_MS: "0" });
    const paths = await pathsWith(collector, [
      `${run} > registration goes on`,
      `${run} > registrar inquire`,
      `${run} > append > projection domain`,
    ]);
    await second.close();
    expect(traced(collector).length).toBeGreaterThan(before);
    for (const path of paths) expect(path).toMatch(/^\? > POST \/domains/);
  });
});

describe("the trace of a deployment of separate parts", () => {
  it("goes through all of them", async () => {
    const collector = await startCollector();
    const data = directoryOfTest();
    const keys = join(data, "service-keys");
    const secrets = {
      HOSTLEDGER_ADMIN_TOKEN: "0123456789abcdef",
      HOSTLEDGER_SERVICE_JWKS_FILE: join(keys, "jwks.json"),
    };
    const keyOf = (part: string) => ({ HOSTLEDGER_SERVICE_KEY_FILE: join(keys, `${part}.key`) });
    const settings = (environment: Readonly<Record<string, string>>) => ({
      configuration: readConfiguration({
        HOSTLEDGER_DATA: directoryOfTest(),
        HOSTLEDGER_PORT: "0",
        HOSTLEDGER_ADMIN_PORT: "0",
        ...secrets,
        ...to(collector),
        ...environment,
      }),
      logger: silentLogger(),
      onFatal(error: Error): never {
        throw error;
      },
    });
    const alone = await start(data, secrets);
    const demo = await alone.openDemo();
    await alone.close();
    const node = await startStandaloneNode(
      settings({ HOSTLEDGER_DATA: data, HOSTLEDGER_ESDB_PORT: "0", HOSTLEDGER_ESDB_WRITERS: "anyone" }),
    );
    onTestFinished(() => node.close());
    const shared = { HOSTLEDGER_EVENT_STORE: node.connectionString, HOSTLEDGER_RPC_PORT: "0" };
    const service = async (name: "account" | "domain" | "server" | "support", more = {}) => {
      const part = await startParts([name], settings({ ...shared, ...keyOf(name), ...more }));
      onTestFinished(() => part.close());
      return part.baseUrl;
    };
    const account = await service("account", { HOSTLEDGER_DATA: data });
    const toAccount = { HOSTLEDGER_ACCOUNT_URL: account };
    const domain = await service("domain", toAccount);
    const gateway = await startParts(
      ["gateway"],
      settings({
        ...toAccount,
        ...keyOf("gateway"),
        HOSTLEDGER_DOMAIN_URL: domain,
        HOSTLEDGER_SERVER_URL: domain,
        HOSTLEDGER_SUPPORT_URL: domain,
      }),
    );
    onTestFinished(() => gateway.close());
    const body = { domain: "example.com" };
    const answer = await request({ baseUrl: gateway.baseUrl }, demo?.apiKey ?? "", "/domains", body, {
      traceparent,
    });
    expect(answer.status).toBe(201);
    const paths = await pathsWith(collector, layers);
    for (const path of paths) expect(path).toMatch(/^\? > POST \/domains/);
    const services = new Set(traced(collector).map(({ service: name }) => name));
    expect([...services].toSorted()).toEqual([
      "hostledger-account",
      "hostledger-domain",
      "hostledger-gateway",
    ]);
  });
});

describe("a collector that does not take what it is sent", () => {
  it.each([
    ["is away", undefined],
    ["never answers", () => undefined],
    [
      "answers 500",
      (response: { statusCode: number; end(): unknown }) => {
        response.statusCode = 500;
        response.end();
      },
    ],
  ])("and %s does not delay requests, nor the end", async (_how, answer) => {
    const url = answer === undefined ? "http://127.0.0.1:9" : (await startCollector(answer)).url;
    const warnings: unknown[] = [];
    const data = directoryOfTest();
    const instance = await start(
      data,
      { ...to({ url }), OTEL_EXPORTER_OTLP_TIMEOUT: "300" },
      {},
      {
        ...silentLogger(),
        warn: (fields: object) => void warnings.push(fields),
      },
    );
    const demo = await instance.openDemo();
    for (const name of ["one", "two", "three"]) {
      const answered = await request(instance, demo?.apiKey ?? "", "/domains", { domain: `${name}.com` });
      expect(answered.status).toBe(201);
    }
    await expect
      .poll(() => warnings, { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ signal: "traces" }));
    await instance.close();
    expect(warnings.filter((fields) => JSON.stringify(fields).includes('"signal"'))).toHaveLength(1);
  });
});

describe("metrics over OTLP", () => {
  it("equal those of /metrics", async () => {
    const collector = await startCollector();
    const instance = await start(directoryOfTest(), {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
      OTEL_METRIC_EXPORT_INTERVAL: "50",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector, x-tenant=1",
    });
    const demo = await instance.openDemo();
    await request(instance, demo?.apiKey ?? "", "/domains", { domain: "example.com" });
    await instance.close();
    const last = (name: string) => JSON.stringify(collector.metrics().findLast((each) => each.name === name));
    expect(last("hostledger_money_cents_total")).toContain('"asDouble":50000');
    expect(last("hostledger_clock_trusted")).toContain('"gauge":{"dataPoints":[');
    expect(last("hostledger_provider_call_seconds")).toContain('"explicitBounds":[0.0005,');
    expect(collector.headers[0]).toMatchObject({ authorization: "Bearer of-the-collector", "x-tenant": "1" });
    expect(collector.spans()).toEqual([]);
  });
});
