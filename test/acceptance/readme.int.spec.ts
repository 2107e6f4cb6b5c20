import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { readLog } from "../support/log.ts";
import { restClient } from "../support/rest-client.ts";

it("a first registration stores the events that the README lists", async () => {
  const directory = temporaryDirectory();
  const instance = await startInstance({ data: directory.path });
  const demo = await instance.openDemo();
  const client = restClient(instance.baseUrl, demo?.apiKey);
  expect(await client.post("/domains", { domain: "my-first-domain.com", years: 1 })).toMatchObject({
    status: 201,
    body: { amount_charged: 11.9, invoice_id: 2 },
  });
  await instance.close();

  const written = await eventsAbout(directory.path);
  directory.remove();
  expect(written).toEqual(listedInReadme());
});

/** The events of the log from the reservation on, as `stream event`, without the reservations of ids; the installation's part is the README's. */
async function eventsAbout(data: string): Promise<readonly string[]> {
  const events = (await readLog(data)).map(({ stream, type }) =>
    `${stream} ${type.replace(/\.v\d+$/, "")}`.replace(/^(registration)-[a-z0-9]{6}-/, "$1-k3x7m2-"),
  );
  const first = events.findIndex((event) => event.endsWith("RegistrationReserved"));
  // Documents are archived in the background, at any time after the sale.
  return events.slice(first).filter((event) => !/^(?:sequence|document)-/u.test(event));
}

function listedInReadme(): readonly string[] {
  const readme = readFileSync(fileURLToPath(import.meta.resolve("../../README.md")), "utf8");
  return [...readme.matchAll(/^\| `([a-z0-9.-]+-[a-z0-9.-]+)` +\| ([A-Z][A-Za-z]+) +\|/gm)].map(
    ([, stream = "", event = ""]) => `${stream} ${event}`,
  );
}
