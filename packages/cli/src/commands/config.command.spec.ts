import { expect, it } from "vitest";
import { runCommand } from "../testing/run-command.ts";

const environment = { HOSTLEDGER_PORT: "9000", HOSTLEDGER_ADMIN_TOKEN: "never-to-be-printed" };

it("config prints the settings in force, without the secrets", async () => {
  const { exitCode, stdout, stderr } = await runCommand(["config"], environment);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^HOSTLEDGER_PORT +9000 /m);
  expect(stdout).toMatch(/^HOSTLEDGER_ADMIN_TOKEN +\(hidden\) /m);
  expect(stdout).not.toContain("never-to-be-printed");
});

it("config answers JSON", async () => {
  const { stdout } = await runCommand(["config", "--json"], environment);
  expect(stdout).not.toContain("never-to-be-printed");
  const document: unknown = JSON.parse(stdout);
  expect(document).toContainEqual({
    variable: "HOSTLEDGER_PORT",
    value: "9000",
    meaning: "port of the REST API; 0 takes a free one",
  });
});

it("config is wrong usage of the environment with a wrong variable, and names each mistake", async () => {
  const outcome = await runCommand(["config"], { HOSTLEDGER_PORT: "x", HOSTLEDGER_PROT: "1" });
  expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
  expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(2);
});

it("config accepts no arguments", async () => {
  expect(await runCommand(["config", "surplus"])).toMatchObject({ exitCode: 2, stdout: "" });
});
