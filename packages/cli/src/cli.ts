import { styleText } from "node:util";

import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.ts";
import { CommandFailure, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./output/table.ts";
import { createProgram } from "./program.ts";

/** What a spec puts in the place of the real thing. */
export type Parts = Omit<CommandContext, "io">;

const realParts: Parts = {
  loadSystem: () => import("@hostledger/host"),
};

/**
 * Runs one command of `hostledger`.
 * @param argv the arguments after the program's name.
 * @returns the exit code; see {@link exitCodes}. Only a bug throws.
 */
export async function run(argv: readonly string[], io: Io, parts: Parts = realParts): Promise<number> {
  try {
    const program = await createProgram({ io, ...parts }, argv);
    await program.parseAsync(argv, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    // Commander has written its own sentence, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    const failure = error instanceof CommandFailure ? error : await callFailure(error);
    if (failure === undefined) throw error;
    for (const line of failure.message.split("\n")) io.err(`${sentence(io, printable(line))}\n`);
    return failure.exitCode;
  }
}

function sentence({ colours }: Io, line: string): string {
  return colours.err ? styleText("red", line, { validateStream: false }) : line;
}

/** What a failed call means to the shell. It is loaded only now, since a command that calls nobody has no use for it. */
async function callFailure(error: unknown): Promise<CommandFailure | undefined> {
  const { ConnectError } = await import("@connectrpc/connect");
  const { staffFailure } = await import("./staff/staff-failure.ts");
  return error instanceof ConnectError ? staffFailure(error) : undefined;
}
