import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openTestStore } from "../embedded/test-store.fixture.ts";
import { createCommandHandler } from "./command-handler.ts";
import type { CommandHandler } from "./command-handler.port.ts";
import { add, counter, send, storedAmounts } from "./counter.fixture.ts";
import { FaultyStore } from "./faulty-store.fixture.ts";
import { anyAgeMs } from "./recent-state.ts";

let folder = "";
let store: FaultyStore;

function makeHandler(): CommandHandler {
  return createCommandHandler({ store, recordedBy: "hostledger-test/1" });
}

describe.each([
  ["alone", false],
  ["shared", true],
])("a stream of which nothing was read, on a store that is %s", (_, shared) => {
  beforeEach(async () => {
    folder = directoryOfTest();
    store = new FaultyStore(await openTestStore(join(folder, "events.sqlite"), { shared }));
  });
  afterEach(() => store.close());

  it("is taken for new by readers of any age, and the append proves it", async () => {
    const handler = makeHandler();
    expect(await handler.load(counter, "1", anyAgeMs)).toMatchObject({ state: { total: 0 } });
    expect(await send(handler, add(2))).toMatchObject({ accepted: true, state: { total: 2 }, revision: 0n });
    expect(store).toMatchObject({ reads: 0, appends: [{ expected: "no-stream" }] });
    expect(await handler.load(counter, "1", anyAgeMs)).toMatchObject({ state: { total: 2 }, revision: 0n });
  });

  it("is read if it is not new, and the command decided again", async () => {
    await send(makeHandler(), add(2));
    const handler = makeHandler();
    await handler.load(counter, "1", anyAgeMs);
    const outcomes = await Promise.all([send(handler, add(3)), send(handler, { type: "Take", by: 5 })]);
    expect(outcomes).toMatchObject([
      { accepted: true, state: { total: 5 } },
      { accepted: true, state: { total: 0 } },
    ]);
    expect(handler.statistics()).toMatchObject({ conflicts: 1 });
    expect(await storedAmounts(store)).toEqual([2, 3, -5]);
  });

  it.each([
    ["is refused", { type: "Take", by: 2 }, { accepted: true, state: { total: 0 } }],
    ["adds nothing", { type: "Reach", total: 0 }, { accepted: true, state: { total: 0 }, revision: 1n }],
  ] as const)("is read before a command is answered that %s on it", async (_case, command, outcome) => {
    await send(makeHandler(), add(2));
    const handler = makeHandler();
    await handler.load(counter, "1", anyAgeMs);
    expect(await send(handler, command)).toMatchObject(outcome);
  });
});
