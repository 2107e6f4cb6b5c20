import { realTiming } from "@hostledger/runtime";
import { expect, it, onTestFinished } from "vitest";
import { startAuditServer, type AuditImplementation } from "../testing/audit-server.ts";
import { eventsOf, payment, registered, rightInstance, shownAccount } from "../testing/audited-log.ts";
import { staffToken } from "../testing/run-command.ts";
import { auditClient } from "./audit-client.ts";
import { openLiveLog, type LiveLog } from "./live-log.ts";

async function opened(implementation: AuditImplementation): Promise<LiveLog> {
  const server = await startAuditServer(implementation);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return openLiveLog(auditClient({ rpcUrl: server.url, credential: staffToken, as: "staff" }), realTiming);
}

async function streams(log: LiveLog, first: number, end: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of log.entries(first, end))
    for (const { event } of batch) found.push(event?.stream ?? "");
  return found;
}

it("counts each movement once, however often its event is read", async () => {
  const later = eventsOf([...registered, ...payment("S", "500", "1500", 2)]);
  const log = await opened(rightInstance({ events: () => later, shown: () => [shownAccount(1_500n, 8)] }));
  expect(await streams(log, 4, 5)).toEqual(["account-7"]);
  expect(await streams(log, 0, log.size)).toHaveLength(8);
  expect(await streams(log, 4, 6)).toHaveLength(2);
  expect(await streams(log, 3, 4)).toEqual(["registration-1"]);
  expect(await streams(log, 8, 8)).toEqual([]);
  expect(await log.shownBalances()).toEqual(new Map([[7, 1_000n]]));
});

it("looks events up one at a time, because an instance limits parallel reads", async () => {
  const { readEvents, ...rest } = rightInstance();
  let [running, most] = [0, 0];
  const log = await opened({
    ...rest,
    async *readEvents(request, context) {
      running += 1;
      most = Math.max(most, running);
      await realTiming.sleep(5);
      yield* readEvents?.(request, context) ?? expect.fail();
      running -= 1;
    },
  });
  const looked = await Promise.all(Array.from({ length: 30 }, (_, at) => streams(log, at % 8, (at % 8) + 1)));
  expect(looked.every(({ length }) => length === 1)).toBe(true);
  expect(most).toBe(1);
});
