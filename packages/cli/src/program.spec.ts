import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { createProgram } from "./program.ts";
import { capturedIo } from "./testing/captured-io.ts";
import { allCommands, leafCommands, nothing } from "./testing/command-tree.ts";
import { runCommand } from "./testing/run-command.ts";

const leaves = await leafCommands();
const commands = (await allCommands()).map(({ path, command }) => ({
  name: ["hostledger", ...path].join(" "),
  path,
  command,
}));

describe.each(commands)("$name", ({ path, command }) => {
  it("describes itself and each of its options and arguments", () => {
    const parts = [...command.options, ...command.registeredArguments].map((part) => part.description);
    expect([command.description(), ...parts]).not.toContain("");
  });

  it("prints its help on stdout", async () => {
    const { exitCode, stdout, stderr } = await runCommand([...path, "--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: hostledger ${path.join(" ")}`.trimEnd()));
  });
});

/** Groups that are commands too: `audit key` prints the key and has subcommands. */
const alsoAct = new Set(["audit key"]);
const groups = commands.filter(
  ({ command, path }) => command.commands.length > 0 && !alsoAct.has(path.join(" ")),
);

describe.each(groups)("$name alone", ({ path }) => {
  it("is wrong usage and prints its help on stderr", async () => {
    const { exitCode, stdout, stderr } = await runCommand(path);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: hostledger");
  });

  it("refuses an unknown name", async () => {
    const { exitCode, stdout, stderr } = await runCommand([...path, "nonsense"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("nonsense");
  });
});

it("prints its version", async () => {
  expect(await runCommand(["--version"])).toEqual({
    exitCode: 0,
    stdout: `${packageJson.version}\n`,
    stderr: "",
  });
});

it.each([
  ["store", ["store"]],
  ["restore", ["backup", "restore"]],
  ["--version", []],
])("loads for %s its own modules, and no other command", async (first, loaded) => {
  const program = await createProgram({ io: capturedIo(), loadSystem: nothing }, [first]);
  expect(program.commands.map((command) => command.name())).toEqual(loaded);
});

it("proposes the name that was meant", async () => {
  expect((await runCommand(["projectoins"])).stderr).toContain("Did you mean projections?");
});

it("has every command in its README, and no other", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const listed = readme.split("\n").filter((line) => line.startsWith("- `hostledger "));
  expect(listed).toEqual(
    leaves.map(
      ({ path, command }) =>
        `- \`${["hostledger", ...path, ...argumentsOf(command)].join(" ")}\`: ${command.description()}`,
    ),
  );
});

function argumentsOf(command: Command): string[] {
  return command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`));
}
