import { join } from "node:path";

import { alternate, type Contender } from "../harness/alternate.ts";
import { startChild } from "../harness/child.ts";
import { line, shareOfBaseline, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, runInOf, type Pace, type SamplePace, type Settings } from "../harness/settings.ts";
import { percent } from "../harness/table.ts";
import { startLoadGenerator, type LoadGenerator, type LoadReport } from "../load/load.ts";
import { profileProduct } from "../peers/product-profile.ts";
import { openCustomers, startProduct, type Product } from "../peers/product.ts";
import type { RowServer } from "../peers/row-answers.ts";
import { listeningSchema, record, type RecordedAnswer, type StaticServer } from "../peers/static-answers.ts";

const clients = 32;
const rows = 20;
const aim = shareOfBaseline(0.6);

/**
 * (d) Reads, beside an Express handler that runs the same queries without services, and beside Express and bare `node:http`
 * that give the very same answers from memory: these know nobody, look nothing up and build no JSON.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const { directory } = settings;
  await using generator = startLoadGenerator();
  await using product = await startProduct(join(directory, "product"));
  await using express = startChild(new URL("../peers/static-answers.child.ts", import.meta.url));
  await using bare = startChild(new URL("../peers/static-answers.child.ts", import.meta.url));
  await using reading = startChild(new URL("../peers/row-answers.child.ts", import.meta.url));
  const { apiKey, accountId, answers } = await fill(product);
  const expressPort = await serve(express, { kind: "express", answers: [...answers] });
  const barePort = await serve(bare, { kind: "node:http", answers: [...answers] });
  const database = join(directory, "product", "data", "read-models", "domain.sqlite");
  const readingPort = await serve(reading, { database, apiKey, accountId, headers: ownHeaders(answers) });

  const lines: Line[] = [];
  const notes: string[] = [];
  for (const { path, body } of answers) {
    const contender = (name: string, port: number): Contender => ({
      name,
      sample: async () => (await read(generator, port, apiKey, path, pace)).perSecond,
    });
    const contenders = [
      contender("hostledger", product.port),
      contender("express and node:sqlite", readingPort),
      contender("express", expressPort),
      contender("node:http", barePort),
    ];
    for (const port of [product.port, readingPort])
      await read(generator, port, apiKey, path, runInOf(settings));
    const [ours = [], rowsRead = [], theirs = [], least = []] = await alternate(contenders, pace.rounds);
    const what = path.endsWith("/domains") ? `GET /domains (${String(rows)} rows)` : "GET /domains/{id}";
    const subject = `${what}, ${String(clients)} clients, requests/s`;
    lines.push(
      line(subject, ours, { name: "Express, same queries, JSON.stringify", samples: rowsRead }, aim),
      line(subject, ours, { name: "Express, same bytes from memory", samples: theirs }),
      line(subject, ours, { name: "node:http, same bytes from memory", samples: least }),
    );
    notes.push(`${what} answers ${body.length.toLocaleString("en")} bytes.`);
    if (lines.at(-3)?.aim?.met === false) notes.push(...(await explain(settings, pace, generator, path)));
  }
  notes.push(`The load generator was busy for at most ${percent(generator.busiest)} of a sample.`);
  return { lines, notes };
}

interface Filled {
  readonly apiKey: string;
  readonly accountId: number;
  readonly answers: readonly RecordedAnswer[];
}

/** Registers the domains, and records the product's answers. */
async function fill(product: Product): Promise<Filled> {
  const [customer] = await openCustomers(product, 1);
  if (customer === undefined) throw new Error("no customer could be opened");
  for (let row = 0; row < rows; row += 1) {
    const { status } = await customer.post("/domains", { domain: `row-${String(row)}.com` });
    if (status !== 201) throw new Error(`a registration was answered ${String(status)}`);
  }
  const { apiKey, accountId } = customer;
  const list = await record(`${product.baseUrl}/domains`, apiKey);
  // The store is new, so that the first domain has the first id.
  return { apiKey, accountId, answers: [list, await record(`${product.baseUrl}/domains/1`, apiKey)] };
}

/** The headers of the answers, without their length, which the bodies of another server have of their own. */
function ownHeaders([first]: readonly RecordedAnswer[]): RowServer["headers"] {
  return Object.fromEntries(
    Object.entries(first?.headers ?? {}).filter(([name]) => name !== "content-length"),
  );
}

async function serve(
  child: ReturnType<typeof startChild>,
  server: StaticServer | RowServer,
): Promise<number> {
  return listeningSchema.parse(await child.ask(server)).port;
}

function read(
  generator: LoadGenerator,
  port: number,
  apiKey: string,
  path: string,
  pace: SamplePace,
): Promise<LoadReport> {
  return generator.run(
    { port, clients, expectedStatus: 200, apiKeys: [apiKey], request: { kind: "get", path } },
    pace,
  );
}

async function explain(
  { directory }: Settings,
  pace: Pace,
  generator: LoadGenerator,
  path: string,
): Promise<readonly string[]> {
  const places = await profileProduct(join(directory, path.replaceAll("/", "-")), async (product) => {
    const { apiKey } = await fill(product);
    return read(generator, product.port, apiKey, path, pace);
  });
  return places.map((place) => `${path}, ${place}.`);
}
