import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { readConfiguration } from "../configuration/index.ts";
import { makeServiceKeys } from "../service-keys/make-service-keys.ts";
import { startStandaloneNode } from "../event-store-node.ts";
import { request, start } from "../standalone.fixture.ts";
import { startParts } from "../start-parts.ts";
import { hostMetrics } from "./metric-names.fixture.ts";

const staffToken = "the-staff-token-of-this-test";
const metricsToken = "the-token-of-prometheus";
const secrets = {
  HOSTLEDGER_ADMIN_TOKEN: staffToken,
  HOSTLEDGER_METRICS_TOKEN: metricsToken,
};

async function metricsOf(
  url: string,
  token: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, text: await answer.text() };
}

/** Returns the printed value of a series. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** A request is counted when its connection has taken the answer, which may be after the client has it. */
async function expectRequest(
  url: string,
  { method, route, status }: { readonly method: string; readonly route: string; readonly status: number },
): Promise<void> {
  const series = `hostledger_http_request_seconds_count{method="${method}",route="${route}",status="${String(status)}"}`;
  await expect.poll(async () => valueOf((await metricsOf(url, metricsToken)).text, series)).toBe(1);
}

/** A data directory with the keys of a deployment. */
function dataWithKeys(): string {
  const data = directoryOfTest();
  makeServiceKeys(join(data, "service-keys"));
  return data;
}

function settingsOf(environment: Readonly<Record<string, string>>) {
  return {
    configuration: readConfiguration({ HOSTLEDGER_DATA: dataWithKeys(), ...secrets, ...environment }),
    logger: silentLogger(),
    onFatal(error: Error): never {
      throw error;
    },
  };
}

describe("the metrics of an instance", () => {
  it("cover commits, commands, projections, runs, providers, the audit log, requests and money", async () => {
    const instance = await start(directoryOfTest(), { HOSTLEDGER_METRICS_TOKEN: metricsToken });
    const demo = await instance.openDemo();
    await request(instance, demo?.apiKey ?? "", "/domains", { domain: "example.com" });
    const { status, text } = await metricsOf(instance.adminUrl, metricsToken);
    expect(status).toBe(200);
    for (const name of hostMetrics) expect(text).toContain(`# TYPE ${name} `);

    expect(valueOf(text, 'hostledger_money_cents_total{kind="credited"}')).toBe(50_000);
    expect(valueOf(text, 'hostledger_money_cents_total{kind="charged"}')).toBe(1_190);
    expect(valueOf(text, 'hostledger_projection_parked{service="domain",projection="domains"}')).toBe(0);
    expect(valueOf(text, 'hostledger_projection_lag{service="domain",projection="domains"}')).toBe(0);
    expect(valueOf(text, "hostledger_clock_trusted")).toBe(1);
    expect(valueOf(text, "hostledger_append_queue")).toBe(0);
    expect(valueOf(text, "hostledger_wal_bytes")).toBeGreaterThan(0);
    expect(valueOf(text, "hostledger_commit_seconds_count")).toBeGreaterThan(0);
    expect(valueOf(text, 'hostledger_audit_log_state{state="following"}')).toBe(1);
    expect(valueOf(text, "hostledger_audit_log_lag")).toBe(0);
    expect(
      valueOf(
        text,
        'hostledger_provider_call_seconds_count{provider="registrar",call="register",outcome="done"}',
      ),
    ).toBe(1);
    await expectRequest(instance.adminUrl, { method: "POST", route: "/domains", status: 201 });
  });

  it("have no account, name or key among their labels", async () => {
    const instance = await start(directoryOfTest(), { HOSTLEDGER_METRICS_TOKEN: metricsToken });
    const demo = await instance.openDemo();
    await request(instance, demo?.apiKey ?? "", "/domains", { domain: "secretive.com" });
    await request(instance, demo?.apiKey ?? "", "/domains/1?secretive=1");
    const { text } = await metricsOf(instance.adminUrl, metricsToken);
    expect(text).not.toContain("secretive");
    expect(text).not.toMatch(/account_?id/i);
    expect(text).not.toContain(demo?.apiKey);
  });

  it("are readable with the staff token too, and with no other; the token for metrics permits nothing else", async () => {
    const data = directoryOfTest();
    const instance = await start(data, { HOSTLEDGER_METRICS_TOKEN: metricsToken });
    const staff = readFileSync(join(data, "admin.token"), "utf8").trim();
    await expect(metricsOf(instance.adminUrl, staff)).resolves.toMatchObject({ status: 200 });
    await expect(metricsOf(instance.adminUrl, "another-token-of-nobody")).resolves.toMatchObject({
      status: 401,
    });
    const call = await fetch(`${instance.adminUrl}/hosting.admin.v1.ProjectionAdminService/ListProjections`, {
      method: "POST",
      headers: { authorization: `Bearer ${metricsToken}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(call.status).toBe(401);
    // Neither the API nor the services' own listener shows them.
    await expect(metricsOf(new URL(instance.baseUrl).origin, staff)).resolves.toMatchObject({ status: 404 });
    await expect(metricsOf(instance.rpcUrl, staff)).resolves.not.toMatchObject({ status: 200 });
  });
});

describe("the metrics of a part that runs alone", () => {
  it("are on a service's listener", async () => {
    const node = await startStandaloneNode(
      settingsOf({ HOSTLEDGER_ESDB_PORT: "0", HOSTLEDGER_ESDB_WRITERS: "anyone" }),
    );
    onTestFinished(() => node.close());
    const environment = { HOSTLEDGER_EVENT_STORE: node.connectionString, HOSTLEDGER_RPC_PORT: "0" };
    const account = await startParts(["account"], settingsOf(environment));
    onTestFinished(() => account.close());
    const { status, text } = await metricsOf(account.baseUrl, metricsToken);
    expect(status).toBe(200);
    expect(valueOf(text, 'hostledger_projection_parked{service="account",projection="api_keys"}')).toBe(0);
    expect(text).toContain("# TYPE hostledger_append_seconds histogram");
    await expect(metricsOf(account.baseUrl, "another-token-of-nobody")).resolves.toMatchObject({
      status: 401,
    });
  });

  const silent = "http://127.0.0.1:9";
  const alone = {
    HOSTLEDGER_PORT: "0",
    HOSTLEDGER_ADMIN_PORT: "0",
    HOSTLEDGER_ACCOUNT_URL: silent,
    HOSTLEDGER_DOMAIN_URL: silent,
    HOSTLEDGER_SERVER_URL: silent,
    HOSTLEDGER_SUPPORT_URL: silent,
  };

  it("are on the staff listener of a gateway that has no credential of staff, and makes none", async () => {
    const { logger, onFatal } = settingsOf({});
    const { HOSTLEDGER_ADMIN_TOKEN: _without, ...others } = secrets;
    const data = dataWithKeys();
    const configuration = readConfiguration({ HOSTLEDGER_DATA: data, ...others, ...alone });
    const gateway = await startParts(["gateway"], { configuration, logger, onFatal });
    onTestFinished(() => gateway.close());
    expect((await metricsOf(gateway.adminUrl, metricsToken)).status).toBe(200);
    expect((await metricsOf(gateway.adminUrl, staffToken)).status).toBe(401);
    expect(readdirSync(data)).not.toContain("admin.token");
  });

  it("are on a gateway's staff listener", async () => {
    const gateway = await startParts(["gateway"], settingsOf(alone));
    onTestFinished(() => gateway.close());
    await fetch(`${gateway.baseUrl}/domains`);
    await expect(metricsOf(gateway.adminUrl, staffToken)).resolves.toMatchObject({ status: 200 });
    await expectRequest(gateway.adminUrl, { method: "GET", route: "/domains", status: 401 });
  });
});
