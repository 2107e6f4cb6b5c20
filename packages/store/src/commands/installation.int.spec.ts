import { installationAggregate, sequenceAggregate } from "@hostledger/core";
import { seededIds } from "@hostledger/runtime/testing";
import { afterEach, describe, expect, it } from "vitest";

import { openTestStore, temporaryStorePath } from "../embedded/test-store.fixture.ts";
import type { EventStore } from "../event-store.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import { createInstallation } from "./installation.ts";

const clock = { now: () => "2026-11-28T10:00:00.000000Z" };
const stores: EventStore[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function openStore() {
  const store = await openTestStore(temporaryStorePath());
  stores.push(store);
  return store;
}

describe("the installation's random part", () => {
  it("is drawn once, by one of several processes, and stays", async () => {
    const store = await openStore();
    const replica = (seed: string) =>
      createInstallation({
        commands: createCommandHandler({ store, recordedBy: seed }),
        clock,
        ids: seededIds(seed),
      });
    const names = await Promise.all(["one", "two", "three"].map((seed) => replica(seed).named()));
    expect(new Set(names.map(({ part }) => part)).size).toBe(1);
    expect(await replica("later").named()).toEqual(names[0]);
    const types: string[] = [];
    for await (const { type } of store.read("installation-all")) types.push(type);
    expect(types).toEqual(["InstallationNamed.v1"]);
  });

  it("reports whether orders without it may exist, and differs in a copy", async () => {
    const store = await openStore();
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    const context = { correlationId: "c", actor: "system" };
    const block = { type: "ReserveIdBlock", data: { size: 1 } } as const;
    await commands.execute(sequenceAggregate, "server", block, { ...context, commandId: "block" });
    const original = await createInstallation({ commands, clock, ids: seededIds("a") }).named();
    expect(original).toMatchObject({ knowsPlainIds: true, isCopy: false });
    const copy = { type: "CopyInstallation", data: { part: "c0py00", at: clock.now() } } as const;
    await commands.execute(installationAggregate, "all", copy, { ...context, commandId: "copy" });
    expect(await createInstallation({ commands, clock, ids: seededIds("b") }).named()).toEqual({
      part: "c0py00",
      knowsPlainIds: false,
      isCopy: true,
    });
  });

  it("is read again after the store gave no answer", async () => {
    const store = await openStore();
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    let isSilent = true;
    const installation = createInstallation({
      commands: {
        ...commands,
        execute: (...all) => commands.execute(...all),
        load: (...all) => (isSilent ? Promise.reject(new Error("no answer")) : commands.load(...all)),
      },
      clock,
      ids: seededIds("a"),
    });
    await expect(installation.named()).rejects.toThrow("no answer");
    isSilent = false;
    expect((await installation.named()).part).toHaveLength(6);
  });
});
