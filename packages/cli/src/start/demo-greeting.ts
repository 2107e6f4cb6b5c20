import type { DemoFile } from "./demo-file.ts";

/** What the last line reads, one after the other. */
const overview = ["/billing/balance", "/billing/invoices", "/servers", "/tickets"];

/** What `start --demo` tells a new user: the key, and three lines to paste into a shell. */
export function demoGreeting(demo: DemoFile): string {
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
