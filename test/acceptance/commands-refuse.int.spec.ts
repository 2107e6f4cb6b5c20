import { leafCommands, staffLines } from "@hostledger/cli/testing";
import { ownIban } from "@hostledger/providers/testing";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";

/**
 * Every option and argument of every command that speaks to an instance, with wrong values: a refusal names the option or the
 * argument, its value, or else the thing that is not there, and no name that only the program knows.
 */

const clock = virtualClock("2026-11-28T10:00:00Z");
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance({ clock, environment: { HOSTLEDGER_BANK_IBAN: ownIban } });
  await instance.openDemo();
});
afterAll(() => instance.close());

/** No text is so long, and no name of a file. */
const tooLong = "x".repeat(20_000);
const wrongValues = ["", "-1", "no such", tooLong];

/** Internal names, which no operator types: `validFrom`, `account_id`, `ENOENT`. */
const ownName = /\b[a-z]+[A-Z]\w*|\b[a-z]+_[a-z]+\b|\bE[A-Z]{3,}\b/u;
/** Names that operators type or read. */
const typedNames =
  /open_tickets|ticket_bytes_a_day|free_writes_a_day|domains_in_flight|HOSTLEDGER_\w+|postal_code|vat_id/gu;
/** Refusals about a missing or existing resource, or a needed second person, need not name an option. */
const isMissing =
  /^(?:There is no |There is a region |The account has no |Event 1 of |Another person must approve this )/u;

it.each(
  staffLines
    // The first owner closes the token that the test has.
    .filter((line) => !["admin staff add", "admin notice bounced"].includes(line.slice(0, 3).join(" ")))
    .map((line) => ({ line, name: line.join(" ") })),
)("$name", async ({ line, name }) => {
  const leaf = (await leafCommands()).find(({ path }) => `${name} `.startsWith(`${path.join(" ")} `));
  const { path = [], command } = leaf ?? {};
  const rest = line.slice(path.length).map((word) => (word === "7" ? "1" : word));
  for (const value of wrongValues) {
    for (const { long = "", required } of command?.options ?? []) {
      if (!required || ["--data", "--admin-url"].includes(long)) continue;
      // Options that name a file are tested separately.
      if (["--out", "--output", "--export"].includes(long) && value !== tooLong) continue;
      const at = rest.indexOf(long);
      const others = at < 0 ? rest : rest.toSpliced(at, 2);
      await expectNamed([...path, ...others, long, value], [long, value]);
    }
    for (const [index, argument] of (command?.registeredArguments ?? []).entries()) {
      const before = Array.from({ length: index }, (_, at) => rest[at] ?? "open_tickets");
      const wrong = [...path, ...before, value, ...rest.slice(index + 1)];
      await expectNamed(wrong, [`<${argument.name()}>`, `'${argument.name()}'`, value]);
    }
  }
});

async function expectNamed(line: readonly string[], names: readonly string[]): Promise<void> {
  const { code, stderr } = await textInProcess(instance, clock, ...line);
  if (code === 0) return;
  const shown = stderr.replaceAll(tooLong, "LONG");
  const said = { line: line.join(" ").replaceAll(tooLong, "LONG"), shown };
  const isNamed = names.some((name) => name !== "" && stderr.includes(name)) || isMissing.test(shown);
  expect({ ...said, isNamed }).toEqual({ ...said, isNamed: true });
  const own = ownName.exec(shown.replaceAll(typedNames, ""))?.[0];
  expect({ ...said, own }).toEqual({ ...said, own: undefined });
}
