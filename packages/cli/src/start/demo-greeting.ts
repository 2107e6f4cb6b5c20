import type { DemoFile } from "./demo-file.ts";

/** What `start --demo` tells a new user: the key, and three lines to paste into a shell. */
export function demoGreeting(demo: DemoFile): string {
  const authorization = `-H 'Authorization: ${demo.api_key}'`;
  const body = `-H 'Content-Type: application/json' -d '{"domain":"my-first-domain.com","years":1}'`;
  return [
    "",
    `Demo account ${String(demo.account_id)}, API key ${demo.api_key}`,
    "",
    "Register a domain, list your domains, see the balance and the invoices:",
    `curl -sS -w '\\n' ${authorization} ${body} ${demo.base_url}/domains`,
    `curl -sS -w '\\n' ${authorization} ${demo.base_url}/domains`,
    `curl -sS -w '\\n' ${authorization} ${demo.base_url}/billing/balance ${demo.base_url}/billing/invoices`,
    "",
  ]
    .map((line) => `${line}\n`)
    .join("");
}
