import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import {
  type CallerTokens,
  createStaffClient,
  type PartName,
  partNames,
  type StaffClient,
} from "@hostledger/rpc";
import { silentLogger, systemClock, type Logger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import type { PartDecorators } from "./host-context.ts";
import { openPartKeys } from "./service-keys/open-service-keys.ts";
import { startParts, type StartedParts } from "./start-parts.ts";

/** Starts an instance on free ports; the test's end closes it, if the test did not. */
export async function start(
  data: string,
  environment: Readonly<Record<string, string>> = {},
  decorate: PartDecorators = {},
  logger: Logger = silentLogger(),
): Promise<StartedParts> {
  const standalone = await startParts(partNames, {
    configuration: readConfiguration({
      HOSTLEDGER_PORT: "0",
      HOSTLEDGER_ADMIN_PORT: "0",
      HOSTLEDGER_DATA: data,
      ...environment,
    }),
    logger,
    decorate,
    onFatal(error) {
      throw error;
    },
  });
  onTestFinished(() => standalone.close());
  return standalone;
}

/** A request of a customer; the answer's status and body. */
export async function request(
  { baseUrl }: Pick<StartedParts, "baseUrl">,
  apiKey: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { authorization: apiKey, "content-type": "application/json", ...more };
  const options = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${baseUrl}${path}`, options);
  return { status: response.status, body: await response.json() };
}

/** Returns the answer of `/readyz` on the staff listener. */
export async function readinessOf(
  { adminUrl }: Pick<StartedParts, "adminUrl">,
  data: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  const response = await fetch(`${adminUrl}/readyz`, { headers: { authorization: `Bearer ${credential}` } });
  return { status: response.status, body: await response.json() };
}

/** The staff listener, under the credential in the data directory. */
export function staffOf({ adminUrl }: Pick<StartedParts, "adminUrl">, data: string): StaffClient {
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  return createStaffClient({ baseUrl: adminUrl, credential });
}

/** Creates the tokens of a part, from the keys in the instance's directory. */
export function tokensIn(data: string, part: PartName): CallerTokens {
  const configuration = readConfiguration({ HOSTLEDGER_DATA: data });
  return openPartKeys(part, { configuration, clock: systemClock(), logger: silentLogger() })(part);
}

/** Reads the embedded store of a data directory, and copies the directory as of a power cut. */
export function cutting(data: string): {
  /** The stored types, in log order. */
  readonly types: readonly string[];
  /** @returns another data directory, whose store ends with the event at this position. */
  keepOnly(last: number): string;
} {
  const events = new DatabaseSync(join(data, "events.sqlite"));
  const types = events
    .prepare("SELECT type FROM events ORDER BY position")
    .all()
    .map(({ type }) => String(type));
  events.close();
  return {
    types,
    keepOnly(last) {
      const copy = directoryOfTest();
      cpSync(data, copy, { recursive: true });
      // Files that are derived from events, or that hold a key nobody saw.
      const derivedFiles = [
        "read-models",
        "snapshots",
        "audit",
        "audit-log.begun",
        "seen-events.json",
        "demo.json",
      ];
      for (const derived of derivedFiles) rmSync(join(copy, derived), { recursive: true, force: true });
      const cut = new DatabaseSync(join(copy, "events.sqlite"));
      cut.prepare("DELETE FROM events WHERE position > ?").run(last);
      cut.exec("DELETE FROM streams WHERE id NOT IN (SELECT stream_id FROM events)");
      cut.close();
      // The log of a power cut has fewer events; here it is made of those that are left.
      mkdirSync(join(copy, "audit"));
      writeFileSync(join(copy, "audit", "unsigned"), "");
      return copy;
    },
  };
}
