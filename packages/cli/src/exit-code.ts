/** What the process answers to the shell; scripts outside this repository rely on these numbers. */
export const exitCodes = {
  /** The command did what it was asked to. */
  done: 0,
  /** The system said no, or could not go on; one sentence on stderr says why. */
  refused: 1,
  /** The command line itself is wrong: nothing was tried. */
  wrongUsage: 2,
  /** No instance answered. Whether a command was carried out is unknown; every command is safe to repeat. */
  unreachable: 3,
} as const;

/** An exit code other than "done". */
export type FailureCode = Exclude<(typeof exitCodes)[keyof typeof exitCodes], 0>;

/** A command that ends without its answer: one sentence for stderr and the exit code that goes with it. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: FailureCode;

  /** @param message a sentence a person can act on, without a secret in it. */
  constructor(exitCode: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The system said no. */
export function refused(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCodes.refused, message, { cause });
}

/** The command line is wrong in a way that commander cannot see by itself. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, message);
}

/** No instance answered. */
export function unreachable(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCodes.unreachable, message, { cause });
}
