import { realTiming } from "@hostledger/runtime/async";
import { freePort } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { createServiceTransport } from "./service-transport.ts";
import { callerOver, kinds, serveThreeMethods, type Kind } from "./three-methods.fixture.ts";

const callers = 32;
const restarts = 5;

it("loses no call while its servers are restarted in turn", async () => {
  const answered = new Map<string, number>();
  const serve = (port: number) =>
    serveThreeMethods(
      async (_kind, { operationId }) => {
        const id = String(operationId);
        answered.set(id, (answered.get(id) ?? 0) + 1);
        await realTiming.sleep(Math.random() * 10);
      },
      { port },
    );
  const servers = [await serve(await freePort()), await serve(await freePort())];
  const transport = createServiceTransport({
    urls: servers.map(({ url }) => url),
    logger: recordingLogger(),
  });
  const call = callerOver(transport);
  const failures: unknown[] = [];
  const made: Record<Kind, number> = { read: 0, idempotent: 0, once: 0 };
  let working = true;
  async function keepCalling(caller: number): Promise<void> {
    for (let turn = caller; working; turn += 1) {
      const kind = kinds[turn % kinds.length] ?? "read";
      await call(kind, { timeoutMs: 20_000 }).catch((error: unknown) => failures.push({ kind, error }));
      made[kind] += 1;
    }
  }
  const work = Array.from({ length: callers }, (_, caller) => keepCalling(caller));

  for (let restart = 0; restart < restarts; restart += 1) {
    for (const [index, server] of servers.entries()) {
      const before = made.read;
      await server.close(10_000);
      servers[index] = await serve(server.port);
      // Both are in use again, and calls have been answered meanwhile, before the other one leaves.
      await expect.poll(() => transport.health().every(({ state }) => state === "ready")).toBe(true);
      await expect.poll(() => made.read).toBeGreaterThan(before);
    }
  }

  working = false;
  await Promise.all(work);
  await transport.close();
  await Promise.all(servers.map((server) => server.close(1000)));
  expect(failures).toEqual([]);
  expect(Math.min(...Object.values(made))).toBeGreaterThan(restarts);
  // A leaving server finishes its calls: no call ran twice, whatever its method.
  expect([...answered.values()].filter((times) => times !== 1)).toEqual([]);
});
