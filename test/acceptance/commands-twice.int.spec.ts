import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { leafCommands } from "@hostledger/cli/testing";
import { camtFile, ownIban } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { hostledgerInProcess, pipedInProcess, textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { restClient } from "../support/rest-client.ts";

/**
 * Every command that speaks to an instance, given twice; `commands-alone` has the others. A command says what it did and only that: whatever says that nothing was
 * done has stored nothing, and the other way round; and no sentence has a name that only the program knows.
 */

/** Expected effect of the second run. */
type Again =
  /** Reads only, and answers the same. */
  | "reads"
  /** There is nothing left to do: it says so. */
  | "nothing"
  /** It makes another one. */
  | "anew"
  /** It is refused both times: there is nothing of the kind. */
  | "refused"
  /** It was done, and is refused now. */
  | "refused now"
  /** It does again what is no event: a mail, a read model. */
  | "does";

/** In an order in which one prepares the other, on the demo's account 1, servers 1 and 2, and ticket 1. */
const lines: readonly (readonly [line: string, again: Again])[] = [
  ["admin account open --name Ada", "anew"],
  ["admin account list", "reads"],
  ["admin account search Ada", "reads"],
  ["admin account show 1", "reads"],
  ["admin account vat-exempt 1 --on", "nothing"],
  ["admin account vat-exempt 1 --off", "nothing"],
  ["admin account profile 1 --file FILES/profile.json", "nothing"],
  ["admin account profile 1", "reads"],
  ["admin account quota 1 open_tickets 7 --reason T", "nothing"],
  ["admin account quota 1", "reads"],
  ["admin account hold 1 --reason T --until 2040-12-31", "nothing"],
  ["admin account holds", "reads"],
  ["admin account release 1 --reason T", "nothing"],
  ["admin account top-up 1 --amount 100.00 --reference R", "nothing"],
  ["admin account credit 1 --amount 1 --reference R --reason T", "nothing"],
  ["admin account debit 1 --amount 1 --reference R --reason T", "nothing"],
  ["admin account reverse-top-up 1 --reference R --reason T", "nothing"],
  ["bank import FILES/statement.xml", "nothing"],
  ["bank list", "reads"],
  ["bank match 1 1", "nothing"],
  ["bank reassign 1 3 --reason T", "nothing"],
  ["bank return 2 --reason T", "nothing"],
  ["bank details 1", "reads"],
  ["bank payouts", "reads"],
  ["bank provider-list --from 2026-01-01 --to 2026-12-31 --output FILES/provider.json", "refused now"],
  // The balance is lower.
  ["admin account payout 1 --amount 900000 --iban NL91ABNA0417164300 --reason T", "refused"],
  ["admin account refund 1 --payment 1 --amount 1 --reason T", "refused"],
  ["admin seller show", "reads"],
  [
    "admin seller set --name GmbH --street Weg --postal-code 1 --city B --vat-id DE123456788 --reason T",
    "nothing",
  ],
  ["admin tax show", "reads"],
  // This instance has HOSTLEDGER_TAX=flat, which needs no rates.
  ["admin tax set FR 20 --from 2027-01-01 --reason T", "refused"],
  ["admin tax oss --from 2027-01-01 --reason T", "nothing"],
  ["admin approvals list", "reads"],
  ["admin approvals approve 9", "refused"],
  ["admin key issue 1", "anew"],
  ["admin key revoke 2", "nothing"],
  ["admin key list 1", "reads"],
  ["admin price set eu --registration 10 --renewal 12.00 --transfer 9.5", "nothing"],
  ["admin price set eu --renewal 13", "nothing"],
  ["admin price list", "reads"],
  ["admin plan add --title S --cores 2 --memory 4 --storage 80 --price 9.99", "anew"],
  ["admin plan edit 1 --price 10.99", "nothing"],
  ["admin plan retire 4 --reason Old", "nothing"],
  ["admin plan list", "reads"],
  ["admin plan show 4", "reads"],
  ["admin region add --code par --location Paris", "nothing"],
  ["admin region list", "reads"],
  ["admin region show 1", "reads"],
  ["admin stock set --plan 1 --region 1 --units 50", "nothing"],
  ["admin stock list", "reads"],
  ["admin stock show --plan 1 --region 1", "reads"],
  ["admin server provision --account 1 --plan 1 --region 1", "anew"],
  ["admin server list", "reads"],
  ["admin server suspend 1", "nothing"],
  ["admin server suspend 1 --reason Abuse", "nothing"],
  ["admin server show 1", "reads"],
  ["admin server unsuspend 1", "nothing"],
  ["admin server unwhitelist 2", "nothing"],
  ["admin server whitelist 2", "nothing"],
  ["admin server terminate 2", "nothing"],
  ["admin charge list", "reads"],
  ["admin charge show 2026-1-000001", "reads"],
  ["admin charge refund 2026-1-000001 --reason T", "nothing"],
  ["admin invoice list", "reads"],
  ["admin invoice show 2026-1-000001", "reads"],
  ["admin invoice fetch 2026-1-000001 --format xml", "reads"],
  ["admin domain list", "reads"],
  ["admin domain show bought.com", "reads"],
  ["admin domain suspend 1 --reason T", "nothing"],
  ["admin domain unsuspend 1", "nothing"],
  // The command reads the code from the registrar each time.
  ["admin domain transfer bought.com", "does"],
  ["admin domain transfer bought.com --stop", "nothing"],
  ["admin domain catch-up bought.com", "refused"],
  ["admin ticket list", "reads"],
  ["admin ticket show 1", "reads"],
  ["admin ticket reply 1 --message Looking", "nothing"],
  ["admin ticket close 1", "nothing"],
  ["admin ticket reply 1 --message Late", "refused"],
  ["admin notice list 1", "reads"],
  ["admin notice resend 9", "refused"],
  ["admin notice bounced", "refused"],
  ["admin notice resume 1", "nothing"],
  ["admin auditor issue --name Ada --days 7", "anew"],
  ["admin auditor revoke 1", "nothing"],
  ["admin auditor add ada --categories account", "refused now"],
  ["admin auditor revoke ada", "nothing"],
  ["admin auditor list", "reads"],
  ["admin service issue reporting --scopes accounts:read", "refused now"],
  ["admin service revoke reporting", "nothing"],
  ["admin service list", "reads"],
  ["admin staff add ben --role support", "refused now"],
  ["admin staff revoke ben", "nothing"],
  ["admin staff list", "reads"],
  ["admin runs list", "reads"],
  ["admin runs show registration-abcdef-9", "refused"],
  ["admin runs retry registration-abcdef-9", "refused"],
  ["admin runs abandon registration-abcdef-9", "refused"],
  ["admin clock accept", "nothing"],
  ["admin store accept --reason restored", "nothing"],
  ["admin sandbox show", "reads"],
  ["reconcile", "reads"],
  ["reconcile --fix", "reads"],
  ["projections status", "reads"],
  ["projections rebuild prices", "does"],
  ["projections stopped", "reads"],
  ["projections mend domain-nowhere.com 0 --reason R", "refused"],
  ["projections skip domain_list 1 --reason R", "refused"],
  ["audit events --limit 5", "reads"],
  ["audit events --stream domain-nowhere.com", "refused"],
  ["audit statement 1", "reads"],
  ["audit statement 9", "refused"],
  ["audit balance 1 --as-of 2026-11-27", "refused"],
  ["audit explain 2026-1-000001", "reads"],
  ["audit journal --format csv", "reads"],
  ["audit vat --from 2026-01-01 --to 2026-12-31", "reads"],
  ["audit journal --format csv --output FILES/journal.csv", "reads"],
  ["audit export FILES/bundle", "refused now"],
  ["audit verify FILES/bundle", "reads"],
  ["audit verify --live", "reads"],
  ["audit reconcile", "reads"],
  ["audit status", "reads"],
  ["audit key", "reads"],
  // A key is a file, and no event.
  ["audit key rotate", "does"],
  ["audit log restart --reason T", "refused"],
  ["admin account key-lost 2", "refused"],
  ["admin account erase 2 --yes", "nothing"],
];

const clock = virtualClock("2026-11-28T10:00:00Z");
const files = temporaryDirectory();
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance({ clock, environment: { HOSTLEDGER_BANK_IBAN: ownIban } });
  const demo = await instance.openDemo();
  const client = restClient(instance.baseUrl, demo?.apiKey);
  expect(await client.post("/domains", { domain: "bought.com" })).toMatchObject({ status: 201 });
  const profile = { kind: "person", name: "Ada Lovelace", email: "ada@example.com", country: "DE" };
  writeFileSync(join(files.path, "profile.json"), JSON.stringify(profile));
  const payments = [
    { amount: "10.00", ref: "1" },
    { amount: "5.00", ref: "2" },
  ];
  writeFileSync(join(files.path, "statement.xml"), camtFile({ payments }));
});
afterAll(async () => {
  await instance.close();
  files.remove();
});

interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly hasWritten: boolean;
}

async function outcomeOf(line: string): Promise<Outcome> {
  const words = line.replace("FILES", files.path).split(" ");
  const before = instance.lastWritten();
  const { code, stdout, stderr } = await run(line, words);
  return { code, text: stdout + stderr, hasWritten: instance.lastWritten() !== before };
}

function run(line: string, words: readonly string[]): ReturnType<typeof hostledgerInProcess> {
  if (line === "admin notice bounced") return pipedInProcess(instance, "no mail", ...words);
  // A bundle is verified without an instance.
  if (line === "audit verify FILES/bundle") return hostledgerInProcess({}, ...words);
  // The audit waits for checkpoints, which a thread signs: virtual time would pass before it does.
  return textInProcess(instance, line.startsWith("audit ") ? realTiming : clock, ...words);
}

/** Sentences that say that all is as it was. */
const nothing = /^(?:Nothing was done|There is nothing to (?:confirm|accept)|Nothing differs)/u;

/** Internal names, which no operator types: `validFrom`, `account_id`. */
const ownName = /\b[a-z]+[A-Z]\w*|\b[a-z]+_[a-z]+\b/u;

/** Names that operators type or read. */
const typedNames = /open_tickets|ticket_bytes_a_day|free_writes_a_day|domains_in_flight/gu;

function expectHonesty({ code, text, hasWritten }: Outcome): void {
  expect({ code, text }).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
  if (code === 1 || nothing.test(text)) expect({ text, hasWritten }).toMatchObject({ hasWritten: false });
  if (code === 1) expect(text.replaceAll(files.path, "").replaceAll(typedNames, "")).not.toMatch(ownName);
}

it.each(lines)("%s: %s", async (line, again) => {
  const [first, second] = [await outcomeOf(line), await outcomeOf(line)];
  for (const each of [first, second]) expectHonesty(each);
  expect({ codes: [first.code, second.code], texts: [first.text, second.text] }).toMatchObject({
    codes: again === "refused" ? [1, 1] : again === "refused now" ? [0, 1] : [0, 0],
  });
  if (again === "reads") expect(first.hasWritten || second.hasWritten).toBe(false);
  if (again === "anew") expect([first.hasWritten, second.hasWritten]).toEqual([true, true]);
  if (again === "nothing") expect(second.text).toMatch(nothing);
  // A command that never did anything must say so both times.
  if (again === "nothing" && !first.hasWritten) expect(first.text).toMatch(nothing);
});

it("this spec tests every command that calls an instance", async () => {
  const paths = (await leafCommands()).map(({ path }) => path.join(" "));
  const spoken = paths.filter((path) => /^(?:admin |audit |bank |projections |reconcile$)/u.test(path));
  expect(spoken.filter((path) => !lines.some(([line]) => `${line} `.startsWith(`${path} `)))).toEqual([]);
});
