import { UnreadableEventError } from "@hostledger/core";
import type { CommandHandler, RecordedEvent } from "@hostledger/store";
import { systemClock } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { exposedKeys } from "./exposed-keys.ts";

const metadata = JSON.stringify({
  correlationId: "c",
  actor: "account:1",
  idempotencyKey: "k",
  commandId: "c",
  recordedBy: "spec",
});

function issuedIn(accountId: number): RecordedEvent {
  const data = {
    keyId: accountId,
    keyHash: "0".repeat(64),
    prefix: "hl_7Qd2xK",
    issuedAt: "2026-03-01T10:00:00.000000Z",
  };
  return {
    stream: `account-${String(accountId)}`,
    revision: 1n,
    position: BigInt(accountId),
    id: `id-${String(accountId)}`,
    type: "ApiKeyIssued.v1",
    time: "2026-03-01T10:00:00.000000Z",
    data: JSON.stringify(data),
    metadata,
  };
}

it("checks the keys of all other accounts if one account cannot be read", async () => {
  const asked: string[] = [];
  const place = { stream: "account-1", revision: 2n, position: 9n, id: "e-1", type: "BalanceCharged.v1" };
  const load: CommandHandler["load"] = (aggregate, id) => {
    asked.push(id);
    if (id === "1") return Promise.reject(new UnreadableEventError(place, "damaged", "the data is not JSON"));
    return Promise.resolve({
      state: aggregate.decider.initialState,
      revision: undefined,
      position: undefined,
    });
  };
  const events = [issuedIn(1), issuedIn(2)];
  const found = await exposedKeys(
    {
      store: {
        async *subscribe() {
          yield await Promise.resolve({ events, position: 2n, caughtUp: true });
        },
      },
      commands: { load },
      requests: { load },
      clock: systemClock(),
    },
    "start",
    new AbortController().signal,
  );
  expect(asked).toEqual(["1", "2"]);
  expect(found).toEqual({ keys: [], next: undefined });
});
