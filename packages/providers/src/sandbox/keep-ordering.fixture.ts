/**
 * A process that orders names from the sandbox as fast as it can, for `sandbox.e2e.spec.ts`. After each answer it writes
 * what was answered to stdout, so that whoever kills it knows what the registrar has acknowledged. With a number it ends after so
 * many orders, and with `durable` the sandbox is one that survives a power cut.
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

// The promise of such an order never settles; its effect is there when the next line is written.
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
