import type { Standalone } from "@hostledger/host";
import { demoPath, refreshDemoFile, writeDemoFile, type DemoFile } from "./demo-file.ts";

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
