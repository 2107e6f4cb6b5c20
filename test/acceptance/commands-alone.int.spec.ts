import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "@hostledger/cli";
import { capturedIo, leafCommands, untilReady } from "@hostledger/cli/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { archivedEvent, content, proofOf } from "../../tools/document-proof.fixture.ts";
import { hostledgerInProcess } from "../support/command-in-process.ts";

/**
 * Runs every command that needs no instance twice, and with wrong arguments. The output says exactly what the
 * command did; a refusal names the option, its value and the remedy.
 */

/** Expected effect of the second run. */
type Again =
  /** Reads only, and answers the same. */
  | "reads"
  /** There is nothing left to do: it says so. */
  | "nothing"
  /** It is done anew. */
  | "anew"
  /** It was done, and is refused now. */
  | "refused now";

/** Each with a sentence of its first answer, in an order in which one prepares the other; FILES is a directory of the test. */
const lines: readonly (readonly [line: string, again: Again, sentence: RegExp])[] = [
  ["config", "reads", /^HOSTLEDGER_DATA +\.\/data /mu],
  ["certificates node1=127.0.0.1 --directory FILES/certificates", "nothing", /^made +node1$/mu],
  ["service-keys --directory FILES/keys", "nothing", /^made +account, domain, /mu],
  ["service-keys --directory FILES/keys --rotate account", "anew", /^made +account$/mu],
  [
    "verify-document FILES/document.pdf FILES/proof.json",
    "reads",
    /^The file is the PDF of document 2026-7-000001, as archived at /u,
  ],
  ["check providers --data FILES/data", "reads", /^ok +registrar \(sandbox\)/mu],
  ["store export FILES/store.ndjson --data FILES/data", "anew", /^The events of the store were written to /u],
  [
    "store import FILES/store.ndjson --data FILES/other",
    "nothing",
    /^The events of .* were written to the store/u,
  ],
  ["backup FILES/set --data FILES/data", "anew", /^The data of .*data is in the backup .*set\.$/mu],
  [
    "restore FILES/set --data FILES/restored",
    "refused now",
    /^.*restored was restored from the backup .*set\.$/mu,
  ],
  ["restore FILES/set --data FILES/copy --copy", "refused now", /, as a test copy\.$/mu],
];

/** Commands that run until a signal. */
const running: readonly (readonly [line: string, ready: RegExp])[] = [
  ["start --port 0 --admin-port 0 --data FILES/data", /^ready http:\/\/127\.0\.0\.1:\d+\/api\/v1\n$/u],
  ["node --port 0 --data FILES/data", /^ready esdb:\/\/127\.0\.0\.1:\d+\?tls=false\n$/u],
  ["sandbox epp --port 0 --data FILES/data", /^ready epps:\/\/.*\nca .*\nuser .*\npassword-file .*\n$/u],
  [
    "service gateway --port 0 --admin-port 0 --data FILES/gateway",
    /^ready http:\/\/127\.0\.0\.1:\d+\/api\/v1\n$/u,
  ],
];

/** Internal names, which no operator types. */
const ownName = /\b[a-z]+[A-Z]\w*|\b[a-z]+_[a-z]+\b|\bE[A-Z]{3,}\b/u;

/** All that is in a directory, so that two of them can be compared. */
function contentsOf(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(directory, name);
      if (!statSync(path).isFile()) return name;
      return `${name} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    })
    .join("\n");
}

const nothing = "Nothing was done";

it("each command reports its result on the first and on the second run", async () => {
  const files = directoryOfTest();
  await runUntilReady("start --demo --port 0 --admin-port 0 --data FILES/data", files);
  writeFileSync(join(files, "document.pdf"), content);
  writeFileSync(join(files, "proof.json"), JSON.stringify(await proofOf(archivedEvent())));
  for (const [line, again, sentence] of lines) {
    const words = line.replaceAll("FILES", files).split(" ");
    const outcomeOf = async () => {
      const before = contentsOf(files);
      const outcome = await hostledgerInProcess({}, ...words);
      return { ...outcome, text: outcome.stdout + outcome.stderr, hasWritten: contentsOf(files) !== before };
    };
    const [first, second] = [await outcomeOf(), await outcomeOf()];
    expect({ line, ...first }).toMatchObject({ code: 0, hasWritten: again !== "reads" });
    expect(first.stdout).toMatch(sentence);
    expect({ line, ...second }).toMatchObject({
      code: again === "refused now" ? 1 : 0,
      hasWritten: again === "anew",
    });
    expect({ line, isNothing: second.text.startsWith(nothing) }).toEqual({
      line,
      isNothing: again === "nothing",
    });
    if (again === "refused now") expect(second.text.replaceAll(files, "")).not.toMatch(ownName);
  }
});

it.each(running)("%s prints its address and ends at a signal", async (line, ready) => {
  const files = directoryOfTest();
  // A part that runs alone signs its calls.
  await hostledgerInProcess({}, "service-keys", "--data", join(files, "gateway"));
  expect(await runUntilReady(line, files)).toMatchObject({ code: 0, stdout: expect.stringMatching(ready) });
});

it("the command line refuses a second process of a command that may run only once", async () => {
  const files = directoryOfTest();
  const line = "start --port 0 --admin-port 0 --data FILES/data";
  const second = await runUntilReady(line, files, () =>
    hostledgerInProcess({}, ...line.replaceAll("FILES", files).split(" ")),
  );
  expect(second.meanwhile).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/in use by another .*: stop /u),
  });
});

/** Runs a command that runs until a signal, which it gets once it is ready. */
async function runUntilReady<Meanwhile = void>(
  line: string,
  files: string,
  meanwhile?: () => Promise<Meanwhile>,
) {
  const services = ["ACCOUNT", "DOMAIN", "SERVER", "SUPPORT", "AUDIT"];
  const addresses = services.map((name) => [`HOSTLEDGER_${name}_URL`, "http://127.0.0.1:2"] as const);
  const isGateway = line.startsWith("service gateway");
  const io = capturedIo(isGateway ? Object.fromEntries<string>(addresses) : {});
  const end = run(line.replaceAll("FILES", files).split(" "), io);
  await Promise.race([untilReady(io), end]);
  const seen = await meanwhile?.();
  io.signal("SIGTERM");
  return { code: await end, stdout: io.stdout(), stderr: io.stderr(), meanwhile: seen };
}

describe("wrong arguments", () => {
  const datev = "audit journal --format datev --from 2026-01-01 --to 2026-12-31";
  it.each([
    // An invalid option is refused under its own name.
    ["start --port 70000", /^--port must be a whole number from 0 to 65535, not "70000"\.$/mu],
    ["start --admin-port x", /^--admin-port must be .*, not "x"\.$/mu],
    ["start --esdb-port x", /^--esdb-port must be .*, not "x"\.$/mu],
    ["start --host a/b", /^--host must be .*, not "a\/b"\.$/mu],
    ["service account --port x", /^--port must be .*, not "x"\.$/mu],
    ["service account --host a/b", /^--host must be .*, not "a\/b"\.$/mu],
    ["service gateway --port x", /^--port must be .*, not "x"\.$/mu],
    ["service billing", /'billing' is invalid for argument 'part'\. Allowed choices are account, /u],
    ["node --port x", /^--port must be .*, not "x"\.$/mu],
    ["node --host a/b", /^--host must be .*, not "a\/b"\.$/mu],
    [
      "sandbox epp --port 70000",
      /--port <port>' argument '70000' is invalid\. It must be a whole number up to 65535\./u,
    ],
    [
      "sandbox epp --greeting-ms -1",
      /--greeting-ms <milliseconds>' argument '-1' is invalid\. It must be a whole number/u,
    ],
    ["store export x --event-store bogus", /^--event-store must be embedded, esdb:.*, not "bogus"\.$/mu],
    [
      "store export x --data d --event-store esdb://127.0.0.1:1",
      /^--data names .*, --event-store .*: give one of them\.$/mu,
    ],
    [
      "store export x --data FILES/none",
      /^There is no event store in FILES\/none: name its data directory with --data\.$/mu,
    ],
    ["store import FILES/none --data FILES/d", /^There is no file FILES\/none\.$/mu],
    ["store import FILES --data FILES/d", /^FILES is a directory, or lies below a file: name a file\.$/mu],
    [
      "backup FILES/file --data FILES/none",
      /^There is nothing to back up in FILES\/none: name its data directory with --data\.$/mu,
    ],
    ["restore FILES/none --data FILES/d", /^There is no backup in FILES\/none: /mu],
    [
      "restore FILES/none --above x",
      /--above <id>' argument 'x' is invalid\. It must be a positive integer of at most 15 digits\./u,
    ],
    [
      "certificates Node=127.0.0.1 --directory FILES/c",
      /'Node=127\.0\.0\.1' is invalid for argument 'name=hosts'\. It must be NAME=HOST,HOST…/u,
    ],
    [
      "certificates node=127.0.0.1 --directory FILES/file",
      /^The certificates cannot be made in FILES\/file: something of this name is there\.$/mu,
    ],
    [
      "service-keys --rotate billing",
      /--rotate <part>' argument 'billing' is invalid\. Allowed choices are account, /u,
    ],
    ["service-keys --directory FILES/file", /^FILES\/file is not a directory\.$/mu],
    ["config surplus", /too many arguments for 'config'\. Expected 0 arguments but got 1: surplus\./u],
    ["check providers surplus", /too many arguments/u],
    [
      "audit events --from 2027-01-01 --to 2026-01-01",
      /^--from is after --to \(2027-01-01T00:00:00\.000000Z after 2026-01-01T23:59:59\.999999Z\): name an earlier --from, or a later --to\.$/mu,
    ],
    [
      "audit events --limit 1000000001",
      /--limit <count>' argument '1000000001' is invalid\. It must be a whole number from 1 to 1000000000\./u,
    ],
    ["audit journal --format csv --from 2027-01-01 --to 2026-01-01", /^--from is after --to \(.*\): name /mu],
    [
      `${datev} --datev-consultant 5`,
      /^A DATEV batch needs --datev-consultant, from 1001 to 9999999, not 5\.$/mu,
    ],
    [
      `${datev} --datev-consultant 1001 --datev-client 100000`,
      /^A DATEV batch needs --datev-client, from 1 to 99999, not 100000\.$/mu,
    ],
    [
      `${datev} --datev-consultant 1001 --datev-client 1 --datev-account-length 9`,
      /^--datev-account-length must be 4 to 8, not 9\.$/mu,
    ],
    ["audit statement 1 --from 2027-01-01 --as-of 2026-01-01", /^--from is after --as-of \(.*\): name /mu],
    [
      "audit statement 1 --json --format csv",
      /^--json and --format csv contradict each other: name one of them\.$/mu,
    ],
    ["audit verify", /^Name the directory of a bundle or --live, not both\.$/mu],
    [
      "audit verify --live --key x",
      /--key <vkey>' argument 'x' is invalid\. It must be a verifier key, as shown by `hostledger audit key`\./u,
    ],
    [
      "audit verify --live --since FILES/none",
      /^FILES\/none could not be read: there is no such file or directory\.$/mu,
    ],
    ["audit status --admin-url x", /^--admin-url must be a URL such as .*, not "x"\.$/mu],
    ["audit status --audit-url x", /^--audit-url must be a URL such as .*, not "x"\.$/mu],
    [
      "audit status --audit-url http://127.0.0.1:1 --admin-url http://127.0.0.1:1",
      /^--audit-url is for an auditor, --admin-url for staff: name one of them\.$/mu,
    ],
    [
      "audit status --data FILES/none",
      /^No instance runs on FILES\/none\. Start one .*, or name its data with --data\.$/mu,
    ],
  ])("%s", async (line, sentence) => {
    const files = directoryOfTest();
    writeFileSync(join(files, "file"), "");
    const before = contentsOf(files);
    const { code, stdout, stderr } = await hostledgerInProcess(
      {},
      ...line.replaceAll("FILES", files).split(" "),
    );
    const shown = stderr.replaceAll(files, "FILES");
    expect({ code, stdout }).toEqual({ code: expect.toBeOneOf([1, 2, 3]), stdout: "" });
    expect(shown).toMatch(sentence);
    expect(shown).not.toMatch(/\bE[A-Z]{3,}:/u);
    if (!line.includes("import")) expect(contentsOf(files)).toBe(before);
  });
});

it("this spec tests every command that does not call an instance", async () => {
  const paths = (await leafCommands()).map(({ path }) => path.join(" "));
  const alone = paths.filter((path) => !/^(?:admin |audit |bank |projections |reconcile$)/u.test(path));
  const known = [...lines, ...running].map(([line]) => `${line} `);
  expect(alone.filter((path) => !known.some((line) => line.startsWith(`${path} `)))).toEqual([]);
});
