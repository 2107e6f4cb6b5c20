import { join } from "node:path";
import type { Rejection, RequestClaim } from "@hostledger/core";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openTestStore } from "../embedded/test-store.fixture.ts";
import type { EventStore } from "../event-store.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import { add, counter, sentAs, storedAmounts, type CounterCommand } from "./counter.fixture.ts";

let folder = "";
let store: EventStore;
let sent = 0;
beforeEach(async () => {
  folder = directoryOfTest();
  store = await openTestStore(join(folder, "events.sqlite"));
});
afterEach(() => store.close());

describe("a command under a claim", () => {
  /** Makes a claim that counts its uses and records the events stored before each use. */
  function claimed(rejection?: Rejection) {
    const taken: number[][] = [];
    let isMade = false;
    const claim: RequestClaim = {
      get isMade() {
        return isMade;
      },
      async make() {
        taken.push([...(await storedAmounts(store))]);
        isMade = rejection === undefined;
        return rejection;
      },
    };
    const handler = createCommandHandler({ store, recordedBy: "hostledger-test/1" });
    sent += 1;
    const context = { ...sentAs(`claimed-${String(sent)}`), claim };
    const execute = (command: CounterCommand) => {
      sent += 1;
      return handler.execute(counter, "1", command, { ...context, commandId: `claimed-${String(sent)}` });
    };
    return { taken, execute };
  }

  it("takes the claim before its first event is stored, and once", async () => {
    const { taken, execute } = claimed();
    await expect(execute(add(2))).resolves.toMatchObject({ accepted: true, state: { total: 2 } });
    await execute(add(3));
    expect([taken, await storedAmounts(store)]).toEqual([[[]], [2, 3]]);
  });

  it("does not take the claim if nothing is to be stored", async () => {
    const { taken, execute } = claimed();
    await expect(execute({ type: "Take", by: 1 })).resolves.toMatchObject({
      accepted: false,
      rejection: { code: "insufficient-balance" },
      state: { total: 0 },
    });
    await expect(execute({ type: "Reach", total: 0 })).resolves.toEqual({
      accepted: true,
      state: { total: 0 },
      events: [],
      revision: undefined,
      position: undefined,
    });
    expect(taken).toEqual([]);
  });

  it("stores nothing if another request has the key", async () => {
    const { execute } = claimed({ code: "request-in-progress", message: "It runs." });
    const refused = { accepted: false, rejection: { code: "request-in-progress" } };
    await expect(execute(add(2))).resolves.toMatchObject(refused);
    await expect(execute(add(2))).resolves.toMatchObject(refused);
    expect(await storedAmounts(store)).toEqual([]);
  });
});
