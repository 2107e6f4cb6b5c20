import { styleText } from "node:util";

import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.ts";
import { CommandFailure, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./output/table.ts";
import { createProgram } from "./program.ts";

/** Parts that specs replace. */
export type Parts = Omit<CommandContext, "io">;

const realParts: Parts = {
  loadSystem: () => import("@hostledger/host"),
};

/** Runs one command. @param argv arguments after the program's name @returns exit code, see {@link exitCodes} */
export async function run(argv: readonly string[], io: Io, parts: Parts = realParts): Promise<number> {
  try {
    const program = await createProgram({ io, ...parts }, argv);
    await program.parseAsync(argv, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    // Commander has already printed its error or the help.
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

/** Converts a failed call to an exit code and a sentence. Imported here because other commands need no RPC modules. */
async function callFailure(error: unknown): Promise<CommandFailure | undefined> {
  const { ConnectError } = await import("@connectrpc/connect");
  const { staffFailure } = await import("./staff/staff-failure.ts");
  return error instanceof ConnectError ? staffFailure(error) : undefined;
}
