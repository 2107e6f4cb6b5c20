import type { Standalone } from "@hostledger/host";
import { writeFileAtomically } from "@hostledger/runtime";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

import { errorCodeOf } from "../error-code.ts";

/**
 * Opens the demonstration account when that is asked for and the store holds nothing else, and keeps `DATA/demo.json` true.
 * @returns what to print below the `ready` line.
 */
export async function prepareDemo(
  dataDirectory: string,
  standalone: Standalone,
  asked: boolean,
): Promise<string> {
  const kept = refreshDemoFile(dataDirectory, standalone.baseUrl);
  const demo = asked ? await standalone.openDemo(kept) : undefined;
  if (demo === undefined) {
    return asked && kept ? `The key of the demo account is in ${demoPath(dataDirectory)}.\n` : "";
  }
  const file = {
    base_url: standalone.baseUrl,
    api_key: demo.apiKey,
    account_id: demo.accountId,
    server_ids: [...demo.serverIds],
  };
  writeDemoFile(dataDirectory, file);
  return demoGreeting(file) + (demo.missing ?? []).map((sentence) => `${sentence}\n`).join("");
}

/** What the last line reads, one after the other. */
const overview = ["/billing/balance", "/billing/invoices", "/servers", "/tickets"];

/** What `start --demo` tells a new user: the key, and three lines to paste into a shell. */
function demoGreeting(demo: DemoFile): string {
  const authorization = `-H 'Authorization: ${demo.api_key}'`;
  const body = `-H 'Content-Type: application/json' -d '{"domain":"my-first-domain.com","years":1}'`;
  return [
    "",
    `Demo account ${String(demo.account_id)}, API key ${demo.api_key}`,
    "",
    "Register a domain; list your domains; see the balance, the invoices, your servers and your tickets:",
    `curl -sS -w '\\n' ${authorization} ${body} ${demo.base_url}/domains`,
    `curl -sS -w '\\n' ${authorization} ${demo.base_url}/domains`,
    `curl -sS -w '\\n' ${authorization} ${overview.map((path) => demo.base_url + path).join(" ")}`,
    "",
  ]
    .map((line) => `${line}\n`)
    .join("");
}

const demoSchema = z.object({
  base_url: z.string(),
  api_key: z.string(),
  account_id: z.number().int(),
  server_ids: z.array(z.number().int()),
});

/** What `DATA/demo.json` keeps of the demonstration account. Its keys are a contract. */
type DemoFile = z.infer<typeof demoSchema>;

/** Where the file is. */
function demoPath(dataDirectory: string): string {
  return join(dataDirectory, "demo.json");
}

/** Writes the file, readable by its owner only, since it holds a key. */
function writeDemoFile(dataDirectory: string, demo: DemoFile): void {
  writeFileAtomically(demoPath(dataDirectory), `${JSON.stringify(demo, undefined, 2)}\n`, 0o600);
}

/**
 * Sets the address of this start in the file of an earlier one, since the port may be another now.
 * @returns false when there is no such file, or something else under its name, which is left alone.
 */
function refreshDemoFile(dataDirectory: string, baseUrl: string): boolean {
  const demo = readDemoFile(dataDirectory);
  if (demo === undefined) return false;
  if (demo.base_url !== baseUrl) writeDemoFile(dataDirectory, { ...demo, base_url: baseUrl });
  return true;
}

function readDemoFile(dataDirectory: string): DemoFile | undefined {
  try {
    return demoSchema.safeParse(JSON.parse(readFileSync(demoPath(dataDirectory), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
