import { once } from "node:events";
import { expect, it } from "vitest";
import { charged } from "../../testing/audit-answers.ts";
import { startAuditServer, streamed } from "../../testing/audit-server.ts";
import { mainFile, spawnFile } from "../../testing/real-process.ts";
import { staffToken } from "../../testing/run-command.ts";

it("ends quietly when its reader has seen enough", async () => {
  let sent = 0;
  await using server = await startAuditServer({
    readEvents: async function* () {
      for (; sent < 100_000; sent += 100)
        yield* streamed({ events: Array(100).fill(charged), nextIndex: BigInt(sent), endIndex: 100_000n });
    },
  });
  const { child, stderr, end } = spawnFile(mainFile, ["audit", "events", "--admin-url", server.url], {
    HOSTLEDGER_ADMIN_TOKEN: staffToken,
  });
  if (child.stdout === null) throw new Error("There is nothing to read.");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect([await end, stderr()]).toEqual([0, ""]);
  expect(sent).toBeLessThan(100_000);
});
