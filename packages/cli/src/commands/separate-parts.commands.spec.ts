import type { StandaloneNode } from "@hostledger/host";
import { describe, expect, it } from "vitest";
import { run } from "../cli.ts";
import type { System } from "../command-context.ts";
import { capturedIo, type CapturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing, untilReady } from "../testing/fake-system.ts";

const data = useDirectory();

const secrets = {
  HOSTLEDGER_ADMIN_TOKEN: "fedcba9876543210",
  HOSTLEDGER_EVENT_STORE: "esdb://127.0.0.1:2113?tls=false",
};

function recorded(): { readonly calls: string[]; readonly system: System } {
  const calls: string[] = [];
  const up = <Url extends object>(what: string, url: Url): Promise<Url & { close(): Promise<void> }> => {
    calls.push(what);
    return Promise.resolve({
      ...url,
      close: () => {
        calls.push(`closed ${what}`);
        return Promise.resolve();
      },
    });
  };
  const system: System = {
    ...nothing,
    startParts: ([name = "none"], { configuration: { port, adminPort, rpcPort } }) => {
      const isGateway = name === "gateway";
      return up(`${name} on ${isGateway ? `${String(port)}, ${String(adminPort)}` : String(rpcPort)}`, {
        baseUrl: isGateway ? "http://h:2/api/v1" : "http://h:1",
        adminUrl: "http://h:3",
        rpcUrl: "http://h:1",
        openDemo: () => Promise.resolve(undefined),
      });
    },
    startStandaloneNode: ({ configuration }): Promise<StandaloneNode> =>
      up(`node on ${String(configuration.esdbPort)}`, { connectionString: "esdb://h:4?tls=false" }),
  };
  return { calls, system };
}

function runIn(io: CapturedIo, system: System, ...line: string[]): Promise<number> {
  return run([...line, "--data", data().path], io, { loadSystem: () => Promise.resolve(system) });
}

describe("service and node", () => {
  it.each([
    [["service", "account", "--port", "5"], "account on 5", "http://h:1"],
    [["service", "gateway", "--port", "6", "--admin-port", "7"], "gateway on 6, 7", "http://h:2/api/v1"],
    [["node", "--port", "8"], "node on 8", "esdb://h:4?tls=false"],
  ])("%s starts, prints ready, and ends at a signal", async (line, what, url) => {
    const io = capturedIo(secrets);
    const { calls, system } = recorded();
    const exit = runIn(io, system, ...line);
    await untilReady(io);
    expect(io.stdout()).toBe(`ready ${url}\n`);
    io.signal("SIGTERM");
    expect(await exit).toBe(0);
    expect(calls).toEqual([what, `closed ${what}`]);
  });

  it("lists the settings that the parts of a deployment must share", async () => {
    const io = capturedIo();
    expect(await runIn(io, nothing, "service", "domain")).toBe(2);
    expect(io.stderr().split("\n")).toEqual([
      expect.stringContaining("HOSTLEDGER_ADMIN_TOKEN must be set"),
      expect.stringContaining("HOSTLEDGER_EVENT_STORE must be esdb://"),
      "",
    ]);
  });

  it("does not ask a gateway for an event store, which it never opens, nor for a credential of staff", async () => {
    const io = capturedIo();
    const { calls, system } = recorded();
    const exit = runIn(io, system, "service", "gateway");
    await untilReady(io);
    io.signal("SIGTERM");
    expect(await exit).toBe(0);
    expect(calls).toHaveLength(2);
  });

  it("names the replacement of the parts' former shared secret", async () => {
    const io = capturedIo({ ...secrets, HOSTLEDGER_CALLER_SECRET: "0123456789abcdef0123456789abcdef" });
    expect(await runIn(io, nothing, "service", "account")).toBe(2);
    expect(io.stderr()).toMatch(
      /^HOSTLEDGER_CALLER_SECRET is no longer used: [^\n]*`hostledger service-keys`[^\n]*\n$/,
    );
  });

  it("refuses a staff port for a part without a staff listener", async () => {
    const io = capturedIo(secrets);
    expect(await runIn(io, nothing, "service", "account", "--admin-port", "7")).toBe(2);
    expect(io.stderr()).toContain("--admin-port is for the gateway");
  });

  it("refuses an unknown part", async () => {
    const io = capturedIo(secrets);
    expect(await runIn(io, nothing, "service", "billing")).toBe(2);
    expect(io.stderr()).toContain("account, domain, server, support, audit, gateway");
  });

  it("allows one process of a service with read models in files, beside the others and the node", async () => {
    const { system } = recorded();
    const parts = [["service", "domain"], ["service", "support"], ["node"]].map((line) => {
      const io = capturedIo(secrets);
      return { io, exit: runIn(io, system, ...line) };
    });
    for (const { io } of parts) await untilReady(io);
    const second = capturedIo(secrets);
    expect(await runIn(second, system, "service", "domain")).toBe(1);
    expect(second.stderr()).toContain("The domain part of the data directory");
    for (const { io, exit } of parts) {
      io.signal("SIGTERM");
      expect(await exit).toBe(0);
    }
  });

  it("allows services with read models in PostgreSQL to share everything", async () => {
    const { system } = recorded();
    const environment = { ...secrets, HOSTLEDGER_DATABASE: "postgres://127.0.0.1/hostledger" };
    for (let count = 0; count < 2; count += 1) {
      const io = capturedIo(environment);
      void runIn(io, system, "service", "domain");
      await untilReady(io);
    }
  });
});
