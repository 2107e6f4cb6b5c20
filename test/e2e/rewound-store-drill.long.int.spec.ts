import { describe, expect, it, onTestFinished } from "vitest";

import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";

import { textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { copyStore, newDirectory, startPutBackServer } from "../support/put-back-store.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt, staffReadiness, type Customer } from "../support/staff-client.ts";

/** The steps of docs/backup.md, "Restore the event store", on both engines, with the product stopped and running. */

describe.each(["embedded", "server"] as const)("the drill on the engine %s", (engine) => {
  it.each(["stopped", "running"] as const)("with the product %s", async (product) => {
    const data = newDirectory();
    const server = engine === "server" ? await startPutBackServer() : undefined;
    const environment = server?.environment ?? {};
    const first = await openShop({ data, environment });
    await registerName(first.owner, "kept.com");
    let instance: Instance = first.instance;
    const restart = async (work: () => void | Promise<void>): Promise<void> => {
      await instance.close();
      await work();
      instance = await startInstance({ data, environment });
    };
    onTestFinished(() => instance.close());
    let copy = newDirectory();
    if (server === undefined)
      await restart(() => {
        copyStore(data, copy);
      });
    else copy = await server.copy();
    const lost = await registerName(at(instance, first.owner), "lost.com");

    if (product === "stopped")
      await restart(() => (server === undefined ? copyStore(copy, data) : server.putBack(copy)));
    else if (server === undefined) copyStore(copy, data);
    else await server.putBack(copy);
    await eventually(realTiming, async () => {
      expect((await staffReadiness(instance.adminUrl, data)).status).toBe(503);
    });
    expect(await at(instance, first.owner).post("/domains", { domain: "early.com" })).toMatchObject({
      status: 503,
      body: { code: "store_rewound" },
    });
    // The file of an embedded store is restored again, because the running process may have written into it.
    if (product === "running" && server === undefined)
      await restart(() => {
        copyStore(copy, data);
      });

    const verified = await hostledger(instance, "audit", "verify", "--live");
    expect(verified.code).toBe(1);
    expect(verified.stdout + verified.stderr).not.toContain("Internal error");
    expect(verified.stdout + verified.stderr).toMatch(/store|log/);
    const accepted = await hostledger(instance, "admin", "store", "accept", "--reason", "drill", "--json");
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('"series": 1') });
    expect(await registerName(at(instance, first.owner), "next.com")).toBeGreaterThan(lost);
    const restarted = await hostledger(instance, "audit", "log", "restart", "--reason", "drill");
    expect(restarted).toMatchObject({ code: 0, stderr: "" });
    // The acceptance allows one restart: a later contradiction to the log is tampering.
    expect(await hostledger(instance, "audit", "log", "restart", "--reason", "again")).toMatchObject({
      code: 1,
    });
    // A checkpoint that was published after the copy contradicts the new log for good: no other finding is left.
    await eventually(realTiming, async () => {
      const { stdout } = await hostledger(instance, "audit", "verify", "--live");
      expect(stdout).toMatch(/^(consistency: .*\n)*Verified [1-9]/);
    });
    await restart(() => undefined);
    expect((await staffReadiness(instance.adminUrl, data)).status).toBe(200);
    await registerName(at(instance, first.owner), "after.com");
  });
});

function at({ baseUrl }: Instance, customer: Customer): Customer {
  return customerAt(baseUrl, customer);
}

function hostledger(instance: Instance, ...line: readonly string[]) {
  return textInProcess(instance, realTiming, ...line);
}
