/** Exit codes of the process. Scripts outside this repository rely on these numbers. */
export const exitCodes = {
  /** The command succeeded. */
  done: 0,
  /** The system refused or failed; a sentence on standard error explains the reason. */
  refused: 1,
  /** The command line is wrong; nothing was attempted. */
  wrongUsage: 2,
  /** No instance answered, so the command's effect is unknown. Every command is safe to repeat. */
  unreachable: 3,
} as const;

export type FailureCode = Exclude<(typeof exitCodes)[keyof typeof exitCodes], 0>;

/** A failed command: a sentence for standard error and an exit code. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: FailureCode;

  /** @param message sentence for the user, without secrets. */
  constructor(exitCode: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function refused(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCodes.refused, message, { cause });
}

/** Returns the failure of a wrong command line that commander cannot detect. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, message);
}

/** Returns the failure if no instance answered. */
export function unreachable(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCodes.unreachable, message, { cause });
}
