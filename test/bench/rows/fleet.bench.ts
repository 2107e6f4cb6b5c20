import { join } from "node:path";

import { openEventStoreDb } from "@hostledger/esdb";
import { createCommandHandler } from "@hostledger/event-store";
import { createInProcessTransport, createServiceTransport } from "@hostledger/rpc";
import { silentLogger } from "@hostledger/runtime";
import { z } from "zod";

import { startFleet, type FleetForm } from "../../support/fleet.ts";
import { alternate, duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { startChild } from "../harness/child.ts";
import { line, median, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { startLoadGenerator, type LoadGenerator } from "../load/load.ts";
import { accounts, chargeCommand, openAccounts } from "../peers/accounts.ts";
import { hopInterceptors, hopOver, hopService } from "../peers/hop.ts";
import { openCustomers, startProduct } from "../peers/product.ts";

/** (j) What more than one process costs and brings: whole registrations, one call between services, two writers of one account. */
export async function measure(settings: Settings): Promise<RowResult> {
  const parts = [
    await registrations(settings, "replicas"),
    await registrations(settings, "services apart"),
    await hops(settings),
    await writers(settings),
  ];
  return { lines: parts.flatMap(({ lines }) => lines), notes: parts.flatMap(({ notes }) => notes) };
}

/** Through a deployment in one of its forms, its node and PostgreSQL, against `hostledger start`. */
async function registrations(settings: Settings, form: FleetForm): Promise<RowResult> {
  // 64 clients of many processes on two cores wait for seconds: a sample shorter than that counts what came before it.
  const pace = settings.quick ? paceOf(settings) : { rounds: 3, warmUpMs: 3_000, sampleMs: 6_000 };
  const accounts = settings.quick ? 4 : 50;
  await using generator = startLoadGenerator();
  await using product = await startProduct(join(settings.directory, "product"));
  const fleet = await startFleet({ form });
  try {
    const keysOf = async (of: Parameters<typeof openCustomers>[0]): Promise<string[]> =>
      (await openCustomers(of, accounts)).map(({ apiKey }) => apiKey);
    const [one, many] = [await keysOf(product), await keysOf(fleet)];
    const lines: Line[] = [];
    for (const clients of settings.quick ? [16] : [1, 16, 64]) {
      const contender = (name: string, port: number, apiKeys: string[]): Contender => ({
        name,
        sample: async () => (await register(generator, { port, apiKeys, clients }, pace)).perSecond,
      });
      const port = Number(new URL(fleet.baseUrl).port);
      const { ours, baseline } = await duel(
        contender(form, port, many),
        contender("one process", product.port, one),
        pace.rounds,
      );
      const unit = `${String(clients)} client${clients === 1 ? "" : "s"}, registrations/s`;
      lines.push(line(`${form}, ${unit}`, ours, { name: "hostledger start", samples: baseline }));
    }
    return {
      lines,
      notes: [`The PostgreSQL of ${form} syncs nothing: read models can be built again.`],
    };
  } finally {
    await fleet.close();
  }
}

let runs = 0;

function register(
  generator: LoadGenerator,
  load: { readonly port: number; readonly apiKeys: string[]; readonly clients: number },
  pace: Pace,
): ReturnType<LoadGenerator["run"]> {
  runs += 1;
  return generator.run(
    { ...load, expectedStatus: 201, request: { kind: "register", prefix: `fleet-${String(runs)}` } },
    pace,
  );
}

/** One call to a service in another process, against the same call within this one. */
async function hops(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  await using child = startChild(new URL("../peers/hop.child.ts", import.meta.url));
  const url = z.string().parse(await child.ask({}));
  const remote = createServiceTransport({ urls: [url], logger: silentLogger() });
  const inProcess = createInProcessTransport([hopService], { interceptors: hopInterceptors });
  const lines: Line[] = [];
  const notes: string[] = [];
  for (const callers of [1, 32]) {
    const contender = (name: string, call: () => Promise<unknown>): Contender => ({
      name,
      sample: () => callsPerSecond(callers, pace, call),
    });
    const samples = await duel(
      contender("HTTP/2", hopOver(remote)),
      contender("in process", hopOver(inProcess)),
      pace.rounds,
    );
    const unit = `${String(callers)} caller${callers === 1 ? "" : "s"}, calls/s`;
    lines.push(
      line(`Connect over HTTP/2, ${unit}`, samples.ours, { name: "in process", samples: samples.baseline }),
    );
    if (callers === 1) {
      const microseconds = 1_000_000 / median(samples.ours) - 1_000_000 / median(samples.baseline);
      notes.push(
        `A hop to another process takes ${microseconds.toFixed(0)} µs longer than one within the process.`,
      );
    }
  }
  await remote.close();
  return { lines, notes };
}

/** Two processes' command handlers on one account over the node, against one. */
async function writers(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  await using child = startChild(new URL("../peers/node.child.ts", import.meta.url), [
    join(settings.directory, "writers.sqlite"),
  ]);
  const connectionString = z.string().parse(await child.ask({}));
  const stores = [await openEventStoreDb({ connectionString }), await openEventStoreDb({ connectionString })];
  const [left, right] = stores.map((store) => createCommandHandler({ store, recordedBy: "bench" }));
  if (left === undefined || right === undefined) throw new Error("two stores have two handlers");
  await openAccounts(left, [1, 2]);
  const callers = settings.quick ? 8 : 64;
  let refusals = 0;
  /** Charges as a client would that is told to come again: what is refused as busy has changed nothing. */
  const chargeAgain = async (handler: typeof left, id: number): Promise<void> => {
    const command = chargeCommand();
    const { chargeId } = command.data;
    const context = { commandId: chargeId, correlationId: chargeId, actor: "service:bench" };
    for (;;) {
      const outcome = await handler.execute(accounts, String(id), command, context);
      if (outcome.accepted) return;
      if (outcome.rejection.code !== "overloaded") throw new Error(outcome.rejection.message);
      refusals += 1;
    }
  };
  const contender = (name: string, handlers: readonly (typeof left)[], id: number): Contender => ({
    name,
    sample: () =>
      callsPerSecond(callers * handlers.length, pace, (caller) =>
        chargeAgain(handlers[caller % handlers.length] ?? left, id),
      ),
  });
  const before = conflictsOf([left, right]);
  const [both = [], alone = []] = await alternate(
    [contender("two writers", [left, right], 1), contender("one writer", [left], 2)],
    pace.rounds,
  );
  const after = conflictsOf([left, right]);
  for (const store of stores) await store.close();
  const [conflicts, appends] = [after.conflicts - before.conflicts, after.appends - before.appends];
  return {
    lines: [
      line(`two writers of one account, ${String(callers)} callers each, charges/s`, both, {
        name: "one writer",
        samples: alone,
      }),
    ],
    notes: [
      `Two writers of one account: ${String(conflicts)} conflicts beside ${String(appends)} appends; ${String(refusals)} charges were told to come again.`,
    ],
  };
}

function conflictsOf(handlers: readonly ReturnType<typeof createCommandHandler>[]) {
  const all = handlers.map((handler) => handler.statistics());
  return {
    conflicts: all.reduce((sum, { conflicts }) => sum + conflicts, 0),
    appends: all.reduce((sum, { appends }) => sum + appends, 0),
  };
}
