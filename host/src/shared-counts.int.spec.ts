import { openSharedCounts, type SharedCounts } from "@hostledger/gateway";
import { startPostgresServer, type PostgresServer } from "@hostledger/projections/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

const counted = { points: 2, duration: 60, keyPrefix: "spec" };

let server: PostgresServer;
let opened: SharedCounts[] = [];
let warnings: string[] = [];

beforeAll(async () => {
  server = await startPostgresServer();
});

afterAll(() => server.stop());

afterEach(async () => {
  await Promise.all(opened.map((counts) => counts.close()));
  opened = [];
  warnings = [];
});

/** What a gateway counts with. */
function gateway(url = server.url): ReturnType<SharedCounts["counterOf"]> {
  return countsOf(url).counterOf(counted);
}

function countsOf(url: string): SharedCounts {
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
  // A busy machine may need longer than a customer would wait.
  const counts = openSharedCounts(url, logger, 60_000);
  opened.push(counts);
  return counts;
}

async function consumed(counter: ReturnType<typeof gateway>, client: string): Promise<number> {
  return (await counter.penalty(client)).consumedPoints;
}

it("several gateways that meet for the first time count together, each client for itself", async () => {
  const gateways = Array.from({ length: 4 }, () => gateway());
  await Promise.all(gateways.map((one) => consumed(one, "all begin at once")));
  // Where two made the table at once, one of them may have counted alone; from now on nobody does.
  const [one, other] = [gateway(), gateway()];
  expect(await consumed(one, "a")).toBe(1);
  expect(await consumed(other, "a")).toBe(2);
  expect(await consumed(other, "b")).toBe(1);
  expect(await consumed(one, "a")).toBe(3);
});

it("what has another name is counted apart, whoever the client is", async () => {
  const counts = countsOf(server.url);
  const [keys, failures] = ["key", "failure"].map((keyPrefix) => counts.counterOf({ ...counted, keyPrefix }));
  await keys?.penalty("9; drop schema gateway cascade");
  const { consumedPoints = 0 } = (await failures?.penalty("9; drop schema gateway cascade")) ?? {};
  expect(consumedPoints).toBe(1);
});

it("a gateway whose database is away counts alone, says so once, and turns nobody away", async () => {
  const lost = gateway("postgres://nobody@127.0.0.1:1/none");
  expect(await consumed(lost, "a")).toBe(1);
  expect(await consumed(lost, "a")).toBe(2);
  expect(await consumed(lost, "b")).toBe(1);
  expect(warnings).toEqual(["requests are counted by this process alone: the database does not count"]);
});

it("a client that the database has no room for is counted all the same", async () => {
  const long = "x".repeat(300);
  const counter = gateway();
  expect([await consumed(counter, long), await consumed(counter, long)]).toEqual([1, 2]);
});
