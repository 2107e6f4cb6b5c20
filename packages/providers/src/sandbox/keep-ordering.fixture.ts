/**
 * Orders domains from the sandbox as fast as possible, for `sandbox.e2e.spec.ts`. After each answer it writes the
 * answer to stdout, so that the killing process knows the acknowledged orders. A number limits the orders; `durable`
 * opens a sandbox that survives power cuts.
 */
import { writeSync } from "node:fs";

import { systemClock } from "@hostledger/runtime";

import { openSandbox } from "./sandbox.ts";

const [path = "", round = "", orders = "Infinity", durable = ""] = process.argv.slice(2);
const clock = systemClock();
const sandbox = openSandbox({
  path,
  clock,
  latencyMs: 0,
  limboMs: 3_600_000,
  isDurable: durable === "durable",
});

// This promise never resolves, but its effect exists when the next line is written.
void sandbox.registrar.register({
  clientTransactionId: `limbo-${round}`,
  name: `limbo-${round}.com`,
  years: 1,
  nameservers: [],
});
await sandbox.dns.createZone({ name: `nozone-${round}.com`, records: [] });
for (let count = 0; count < Number(orders); count += 1) {
  const name = `order-${round}-${String(count)}.com`;
  const answer = await sandbox.registrar.register({
    clientTransactionId: name,
    name,
    years: 1,
    nameservers: [],
  });
  await sandbox.dns.createZone({ name, records: [] });
  if (answer.outcome === "done") writeSync(1, `${name}\n`);
}
sandbox.close();
