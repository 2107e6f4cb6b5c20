import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { realTiming } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { mainFile, spawnFile } from "../testing/real-process.ts";

const script = fileURLToPath(new URL("net-epp.fixture.pl", import.meta.url));

it("serves Net::EPP, an independent client, and ends at SIGTERM", async () => {
  const data = directoryOfTest();
  const {
    child,
    stdout: said,
    stderr,
    end,
  } = spawnFile(mainFile, ["sandbox", "epp", "--port", "0", "--data", data]);
  try {
    while (!said().includes("password-file")) {
      expect(child.exitCode, stderr()).toBeNull();
      await realTiming.sleep(50);
    }
    const [ready = ""] = said().split("\n");
    expect(ready).toMatch(/^ready epps:\/\/127\.0\.0\.1:\d+$/);
    const password = (name: string) => readFileSync(join(data, name), "utf8").trim();
    expect(statSync(join(data, "epp.password")).mode & 0o777).toBe(0o600);
    const { stdout } = await promisify(execFile)("perl", [
      script,
      ready.slice(ready.lastIndexOf(":") + 1),
      join(data, "epp-ca.pem"),
      password("epp.password"),
      password("epp2.password"),
    ]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(expected);
    child.kill("SIGTERM");
    expect(await end).toBe(0);
  } finally {
    child.kill("SIGKILL");
    await end;
  }
});

const expected = [
  ["wrong password", [0, "2200"]],
  ["login", "1000"],
  ["check", "1"],
  ["contact", 1],
  ["contact shown", "Bonn"],
  ["host", 1],
  ["create", 1],
  ["create again", [null, "2302"]],
  ["check again", "0"],
  [
    "info",
    {
      clID: "sandbox",
      registrant: "PERL-1",
      status: ["ok"],
      ns: ["ns1.elsewhere.example"],
      authInfo: "transfer-me",
      contacts: { admin: "PERL-1", tech: "PERL-1" },
    },
  ],
  ["renew", 1],
  ["years", 3],
  ["renew again", [null, "2105"]],
  ["update", 1],
  ["updated", ["clientHold", "inactive"]],
  ["transfer, wrong code", [null, "2202"]],
  ["transfer", "pending"],
  ["losing registrar hears", ["1301", "Transfer requested.", "1000"]],
  ["approve", 1],
  ["gaining registrar hears", ["1301", "Transfer approved.", "1000"]],
  ["queue", "1300"],
  ["holder", "sandbox2"],
  ["delete", [1, "1000"]],
  ["info after", [null, "2303"]],
  ["contact deleted", 1],
  ["logout", 1],
];
