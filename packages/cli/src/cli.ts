import { ConnectError } from "@connectrpc/connect";
import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.ts";
import { CommandFailure, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./output/table.ts";
import { createProgram } from "./program.ts";
import { staffFailure } from "./staff/staff-failure.ts";

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
    await createProgram({ io, ...parts }).parseAsync(argv, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    // Commander has written its own sentence, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    const failure = error instanceof ConnectError ? staffFailure(error) : error;
    if (!(failure instanceof CommandFailure)) throw failure;
    for (const line of failure.message.split("\n")) io.err(`${printable(line)}\n`);
    return failure.exitCode;
  }
}
