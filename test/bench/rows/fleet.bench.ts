import { join } from "node:path";

import { openEventStoreDb } from "@hostledger/esdb";
import { createCommandHandler } from "@hostledger/store";
import { z } from "zod";

import { startFleet, type FleetForm } from "../../support/fleet.ts";
import { programSource } from "../../support/programs.ts";
import { alternate, duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { processorTimeBelowMs, processorTimeOfMs } from "../harness/processor-time.ts";
import { startChild } from "../harness/child.ts";
import { describeProfiles, profilingInto } from "../harness/profile.ts";
import {
  line,
  millisecondsAtMost,
  shareOfBaseline,
  type Aim,
  type Line,
  type RowResult,
} from "../harness/result.ts";
import { paceOf, runInOf, type Pace, type SamplePace, type Settings } from "../harness/settings.ts";
import { startLoadGenerator, type LoadGenerator } from "../load/load.ts";
import { accounts, chargeCommand, openAccounts } from "../peers/accounts.ts";
import { openCustomers, startProduct } from "../peers/product.ts";

/** Aims of a form: registrations, relative to one process, and processor time of each, in all processes. */
const aims: Readonly<Record<FleetForm, { readonly rate?: Aim; readonly cost: Aim }>> = {
  replicas: { rate: shareOfBaseline(0.5), cost: millisecondsAtMost(8) },
  "services apart": { cost: millisecondsAtMost(16) },
};

/** (j) What more than one process costs and brings: whole registrations, two writers of one account. */
export async function measure(settings: Settings): Promise<RowResult> {
  const parts = [await registrations(settings, "replicas")];
  // A smoke run only checks that the row measures; the fleet tests check the other form.
  if (!settings.quick) parts.push(await registrations(settings, "services apart"));
  parts.push(await writers(settings));
  return { lines: parts.flatMap(({ lines }) => lines), notes: parts.flatMap(({ notes }) => notes) };
}

/** Through a deployment in one of its forms, its node and PostgreSQL, against `hostledger start`. */
async function registrations(settings: Settings, form: FleetForm): Promise<RowResult> {
  // 64 clients of many processes on two cores wait for seconds, so a shorter sample would count earlier
  // requests.
  const pace = settings.quick ? paceOf(settings) : { rounds: 3, warmUpMs: 3_000, sampleMs: 6_000 };
  const accounts = settings.quick ? 4 : 50;
  await using generator = startLoadGenerator();
  await using product = await startProduct(join(settings.directory, "product"));
  const fleet = await startFleet({ form });
  try {
    const keysOf = async (of: Parameters<typeof openCustomers>[0]): Promise<string[]> =>
      (await openCustomers(of, accounts)).map(({ apiKey }) => apiKey);
    const [one, many] = [await keysOf(product), await keysOf(fleet)];
    const [portOfOne, portOfMany] = [product.port, Number(new URL(fleet.baseUrl).port)];
    const runIn = runInOf(settings, 3);
    await register(generator, { port: portOfOne, apiKeys: one, clients: 16 }, runIn);
    await register(generator, { port: portOfMany, apiKeys: many, clients: 16 }, runIn);
    const lines: Line[] = [];
    const notes = [
      `The PostgreSQL of ${form} syncs nothing: read models can be built again. Processor time is that of all of its processes, node and PostgreSQL among them.`,
    ];
    for (const clients of settings.quick ? [16] : [1, 16, 64]) {
      const contender = (name: string, port: number, apiKeys: string[]): Contender => ({
        name,
        sample: async () => (await register(generator, { port, apiKeys, clients }, pace)).perSecond,
      });
      const { ours, baseline } = await duel(
        contender(form, portOfMany, many),
        contender("one process", portOfOne, one),
        pace.rounds,
      );
      const unit = `${String(clients)} client${clients === 1 ? "" : "s"}`;
      const registered = { name: "hostledger start", samples: baseline };
      lines.push(line(`${form}, ${unit}, registrations/s`, ours, registered, aims[form].rate));
      const cost = await costOf(generator, { port: portOfMany, apiKeys: many, clients }, pace, () =>
        processorTimeBelowMs([generator.pid, product.pid]),
      );
      const costOfOne = await costOf(generator, { port: portOfOne, apiKeys: one, clients }, pace, () =>
        processorTimeOfMs(product.pid),
      );
      const alone = { name: "hostledger start", samples: [costOfOne] };
      lines.push(line(`${form}, ${unit}, ms of processor time each`, [cost], alone, aims[form].cost));
    }
    if (lines.some(({ aim }) => aim?.met === false))
      notes.push(...(await explain(settings, form, generator)));
    return { lines, notes };
  } finally {
    await fleet.close();
  }
}

/** Profiles the processes of a deployment, except PostgreSQL, in one more run. */
async function explain(
  { directory, quick }: Settings,
  form: FleetForm,
  generator: LoadGenerator,
): Promise<readonly string[]> {
  const profiles = join(directory, `profiles of ${form}`.replaceAll(" ", "-"));
  const clients = quick ? 16 : 64;
  const environment = { NODE_OPTIONS: profilingInto(profiles) };
  const fleet = await startFleet({ form, program: programSource("hostledger"), environment });
  try {
    const names = new Map(fleet.members.map(({ pid, name }) => [pid, name]));
    const apiKeys = (await openCustomers(fleet, quick ? 4 : 50)).map(({ apiKey }) => apiKey);
    const load = { port: Number(new URL(fleet.baseUrl).port), apiKeys, clients };
    const report = await register(generator, load, { warmUpMs: 500, sampleMs: quick ? 500 : 6_000 });
    // A process writes its profile when it ends normally.
    for (const member of fleet.members.toReversed()) await member.stop();
    return describeProfiles(profiles, report, ({ pid, number }) => {
      const thread = number === 0 ? "main thread" : `thread ${String(number)}`;
      return `${form}, ${String(clients)} clients, ${names.get(pid) ?? "a process"}, ${thread}`;
    }).map((place) => `${place}.`);
  } finally {
    await fleet.close();
  }
}

/** Returns the processor time per registration, in milliseconds. @param used processor time so far. */
async function costOf(
  generator: LoadGenerator,
  load: Parameters<typeof register>[1],
  pace: Pace,
  used: () => number,
): Promise<number> {
  const beforeMs = used();
  const { answers } = await register(generator, load, pace);
  return (used() - beforeMs) / answers;
}

let runs = 0;

function register(
  generator: LoadGenerator,
  load: { readonly port: number; readonly apiKeys: string[]; readonly clients: number },
  pace: SamplePace,
): ReturnType<LoadGenerator["run"]> {
  runs += 1;
  return generator.run(
    { ...load, expectedStatus: 201, request: { kind: "register", prefix: `fleet-${String(runs)}` } },
    pace,
  );
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
  /** Repeats a charge that was refused as busy, because such a refusal changed nothing. */
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
