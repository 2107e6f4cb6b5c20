import { join } from "node:path";

import { offerServers } from "../../support/staff-client.ts";
import { alternate } from "../harness/alternate.ts";
import { startChild } from "../harness/child.ts";
import { line, ratePerSecond, type RowResult } from "../harness/result.ts";
import { paceOf, runInOf, type Settings } from "../harness/settings.ts";
import { percent } from "../harness/table.ts";
import { startLoadGenerator, type Load, type LoadReport } from "../load/load.ts";
import { profileProduct } from "../peers/product-profile.ts";
import { openCustomers, startProduct, type Product } from "../peers/product.ts";
import { listeningSchema } from "../peers/static-answers.ts";

const clients = 64;
/** Servers per account, so that no server has two renewals at once. */
const serversPerAccount = 8;
const rateAim = ratePerSecond(2_500);

/**
 * (q) Renewals of servers through REST: an order without a provider, so that charge, run and read models are
 * measured. The baseline is an Express handler with one durable append per request.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const accounts = settings.quick ? 20 : 100;
  await using generator = startLoadGenerator();
  await using product = await startProduct(join(settings.directory, "product"));
  await using express = startChild(new URL("../peers/express-append.child.ts", import.meta.url), [
    settings.directory,
  ]);
  const { port: expressPort } = listeningSchema.parse(await express.ask({}));
  const renewals = await rentServers(product, accounts);
  const ours = { port: product.port, clients, expectedStatus: 200, ...renewals };
  const bareRequest = { kind: "register", prefix: "bench" } as const;
  const bare = { ...ours, port: expressPort, expectedStatus: 201, request: bareRequest };
  for (const load of [ours, bare]) await generator.run(load, runInOf(settings));
  const [measured = [], baseline = []] = await alternate(
    [
      { name: "renewals", sample: async () => (await generator.run(ours, pace)).perSecond },
      { name: "express", sample: async () => (await generator.run(bare, pace)).perSecond },
    ],
    pace.rounds,
  );
  const subject = `server renewals, ${String(clients)} clients, renewals/s`;
  const result = line(subject, measured, { name: "Express, one durable append", samples: baseline }, rateAim);
  const notes = [`The load generator was busy for at most ${percent(generator.busiest)} of a sample.`];
  if (result.aim?.met === false) {
    const load = async (profiled: Product): Promise<LoadReport> =>
      generator.run({ ...ours, port: profiled.port, ...(await rentServers(profiled, 20)) }, pace);
    const places = await profileProduct(join(settings.directory, "profiled"), load);
    notes.push(...places.map((place) => `${String(clients)} clients, ${place}.`));
  }
  return { lines: [result], notes };
}

/** Creates customers with servers, and the load that renews them in turn. */
async function rentServers(product: Product, accounts: number): Promise<Pick<Load, "apiKeys" | "request">> {
  const { servers } = product.staff;
  const plan = await offerServers(product.staff, accounts * serversPerAccount);
  const apiKeys: string[] = [];
  const rented: number[] = [];
  for (const { accountId, apiKey } of await openCustomers(product, accounts)) {
    for (let number = 0; number < serversPerAccount; number += 1) {
      const { serverId } = await servers.provisionServer({
        ...plan,
        accountId: BigInt(accountId),
        months: 1,
      });
      apiKeys.push(apiKey);
      rented.push(Number(serverId));
    }
  }
  return { apiKeys, request: { kind: "renew", servers: rented } };
}
