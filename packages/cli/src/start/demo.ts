import type { StartedParts } from "@hostledger/host";
import { writeFileAtomically } from "@hostledger/runtime";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

import { errorCodeOf } from "../error-code.ts";

/** Opens the demo account if requested and possible. @returns text printed after the `ready` line */
export async function prepareDemo(
  dataDirectory: string,
  started: StartedParts,
  asked: boolean,
): Promise<string> {
  const kept = refreshDemoFile(dataDirectory, started.baseUrl);
  const demo = asked ? await started.openDemo(kept) : undefined;
  if (demo === undefined) {
    return asked && kept ? `The API key of the demo account is in ${demoPath(dataDirectory)}.\n` : "";
  }
  const file = {
    base_url: started.baseUrl,
    api_key: demo.apiKey,
    account_id: demo.accountId,
    server_ids: [...demo.serverIds],
  };
  writeDemoFile(dataDirectory, file);
  return demoGreeting(file) + (demo.missing ?? []).map((sentence) => `${sentence}\n`).join("");
}

const overview = ["/billing/balance", "/billing/invoices", "/servers", "/tickets"];

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

/** Contents of `DATA/demo.json`. The keys are a contract with scripts. */
type DemoFile = z.infer<typeof demoSchema>;

function demoPath(dataDirectory: string): string {
  return join(dataDirectory, "demo.json");
}

/** Writes the file for its owner only, because it contains an API key. */
function writeDemoFile(dataDirectory: string, demo: DemoFile): void {
  writeFileAtomically(demoPath(dataDirectory), `${JSON.stringify(demo, undefined, 2)}\n`, 0o600);
}

/** Updates the address in an existing demo file. @returns false if the file is missing or invalid */
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
