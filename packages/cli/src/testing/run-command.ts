import { run } from "../cli.ts";
import { capturedIo } from "./captured-io.ts";
import { startStaffServer, type StaffImplementation } from "./staff-server.ts";

export const staffToken = "staff-token-of-the-spec";

/** Result of a command. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command without a system. @param input standard input */
export async function runCommand(
  line: readonly string[],
  environment = {},
  input: readonly Uint8Array[] = [],
): Promise<Outcome> {
  const io = capturedIo(environment, undefined, input);
  const loadSystem = (): never => {
    throw new Error("This command must not load the system.");
  };
  const exitCode = await run(line, io, { loadSystem });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

export async function runAgainst(
  implementation: StaffImplementation,
  line: readonly string[],
  input: readonly Uint8Array[] = [],
): Promise<Outcome> {
  await using server = await startStaffServer(implementation);
  return await runCommand(
    [...line, "--admin-url", server.url],
    { HOSTLEDGER_ADMIN_TOKEN: staffToken },
    input,
  );
}
