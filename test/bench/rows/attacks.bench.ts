import { readFileSync } from "node:fs";
import { join } from "node:path";

import { startInstanceProcess, type InstanceProcess } from "../../support/instance-process.ts";
import { registerName } from "../../support/shop.ts";
import { openCustomer, sell, type Customer } from "../../support/staff-client.ts";
import { startChild } from "../harness/child.ts";
import { atMostBaseline, line, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Settings } from "../harness/settings.ts";

/** The attacks of test/security/hostile-traffic are measured too. */
const attacks = [
  "rapid reset",
  "settings",
  "pings",
  "continuations",
  "hostile bodies",
  "slow readers",
] as const;

/** The issue's: others are answered within twice the usual time meanwhile. */
const aim = atMostBaseline(2);

/** A customer whom the attacks do not concern, and a domain of his. */
interface Other {
  readonly customer: Customer;
  readonly domain: number;
}

/** Requests of another customer, one after the other. */
const requests = {
  "GET /domains": ({ customer }: Other) => customer.get("/domains?limit=20"),
  "PUT /domains/{domain}/settings": ({ customer, domain }: Other, number: number) =>
    customer.put(`/domains/${String(domain)}/settings`, { auto_renew: number % 2 === 0 }),
} as const;
type Name = keyof typeof requests;
const names = ["GET /domains", "PUT /domains/{domain}/settings"] as const satisfies readonly Name[];

/** (n) How long another customer waits while each attack runs, from a process of its own, and how long without it. */
export async function measure(settings: Settings): Promise<RowResult> {
  const instance = await startInstanceProcess(join(settings.directory, "data"));
  try {
    await sell(instance.staff, "com");
    const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
    const other = { customer, domain: await registerName(customer, "mine.com") };
    await instance.staff.accounts.setQuota({
      accountId: BigInt(customer.accountId),
      quota: "free_writes_a_day",
      value: 1_000_000n,
      reason: "What is measured is the time of the writes.",
    });
    const lines: Line[] = [];
    for (const attack of attacks) lines.push(...(await compare(settings, instance, other, attack)));
    return {
      lines,
      notes: ["The attacker has a process of its own on the same machine, whose cores it takes, too."],
    };
  } finally {
    await instance.stop();
  }
}

async function compare(
  settings: Settings,
  instance: InstanceProcess,
  other: Other,
  attack: string,
): Promise<readonly Line[]> {
  await using attacker = startChild(new URL("../load/attack.child.ts", import.meta.url));
  const { rounds, sampleMs } = paceOf(settings);
  const ports = { rpcPort: rpcPortOf(instance), restPort: Number(new URL(instance.baseUrl).port) };
  const samples = names.map((name) => ({ name, during: new Array<number>(), without: new Array<number>() }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, during, without } of samples) {
      await attacker.ask({ attack: "nothing", ...ports });
      without.push(await medianMs(name, other, sampleMs));
      await attacker.ask({ attack, ...ports });
      during.push(await medianMs(name, other, sampleMs));
    }
  }
  await attacker.ask({ attack: "nothing", ...ports });
  return samples.map(({ name, during, without }) =>
    line(`${name} during ${attack}, median ms`, during, { name: "without it", samples: without }, aim),
  );
}

async function medianMs(name: Name, other: Other, sampleMs: number): Promise<number> {
  const startedMs = performance.now();
  const times: number[] = [];
  do {
    const askedMs = performance.now();
    const { status } = await requests[name](other, times.length);
    if (status !== 200) throw new Error(`${name} was answered ${String(status)}`);
    times.push(performance.now() - askedMs);
  } while (performance.now() - startedMs < sampleMs);
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

function rpcPortOf({ data }: InstanceProcess): number {
  const known: unknown = JSON.parse(readFileSync(join(data, "instance.json"), "utf8"));
  return Number(new URL(String(Reflect.get(Object(known), "rpc_url"))).port);
}
