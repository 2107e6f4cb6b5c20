/** One of several processes sharing a sandbox, for `sandbox.e2e.spec.ts`: orders names and prints answers as JSON. */
import { once } from "node:events";

import { systemClock } from "@hostledger/runtime";

import { openSandbox } from "./sandbox.ts";

const [path = "", who = "", orders = "0"] = process.argv.slice(2);
const clock = systemClock();
const sandbox = openSandbox({ path, clock, latencyMs: 0, limboMs: 60_000 });
process.stdout.write("open\n");
await once(process.stdin, "data");

const names = Array.from({ length: Number(orders) }, (_, index) => `shared-${String(index)}.com`);
const registered = await Promise.all(
  names.map((name) =>
    sandbox.registrar.register({ clientTransactionId: `${who}-${name}`, name, years: 1, nameservers: [] }),
  ),
);
for (const name of names) await sandbox.dns.createZone({ name, records: [] });
// All processes change one zone, so that they conflict there.
for (const [index] of names.entries())
  await sandbox.dns.replaceRecordSets("shared-0.com", [
    { type: "TXT", name: `${who}-${String(index)}`, ttlSeconds: 300, records: [{ value: who }] },
  ]);
const servers = await Promise.all(
  names.map((_, index) =>
    sandbox.compute.provision({
      name: `${who}-${String(index)}`,
      plan: { title: "Small", cores: 1, memoryGb: 1, storageGb: 10 },
      region: "fra",
      distro: "debian-13",
      sshKey: null,
      firewall: { enabled: false, rules: [] },
    }),
  ),
);
process.stdout.write(
  `${JSON.stringify({
    won: names.filter((_, index) => registered[index]?.outcome === "done"),
    addresses: servers.map((server) => (server.outcome === "done" ? server.value.ipAddress : "none")),
  })}\n`,
);
sandbox.close();
process.stdin.destroy();
