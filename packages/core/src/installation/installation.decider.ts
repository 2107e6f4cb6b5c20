import { assertNever } from "../kernel/assert-never.ts";
import { type Command, accept, type Decider, type Decision } from "../kernel/decider.ts";
import type { InstallationEvent } from "./installation.events.ts";

/** Gives an installation its random part, once. */
export type NameInstallation = Command<
  "NameInstallation",
  { readonly part: string; readonly hadOrders: boolean }
>;

/** Gives a test copy a random part of its own. */
export type CopyInstallation = Command<"CopyInstallation", { readonly part: string }>;

/** What can be done with an installation. */
export type InstallationCommand = NameInstallation | CopyInstallation;

/** An installation that has its random part. */
export interface NamedInstallation {
  /** Six characters: a lower-case letter, then letters and digits. */
  readonly part: string;
  /** Whether identifiers without a random part may be this installation's own: an earlier version made them. */
  readonly knowsPlainIds: boolean;
  /** Whether a restore made it as a test copy: objects at providers then belong to the original. */
  readonly isCopy: boolean;
}

/** Undefined until the random part is drawn. */
export type InstallationState = NamedInstallation | undefined;

/** The rules of an installation (stream `installation-all`): the first random part stays, except that a test copy draws another. */
export const installation: Decider<InstallationCommand, InstallationState, InstallationEvent> = {
  initialState: undefined,
  decide,
  evolve(_state, event) {
    const { part } = event.data;
    switch (event.type) {
      case "InstallationNamed":
        return { part, knowsPlainIds: event.data.hadOrders, isCopy: false };
      case "InstallationCopied":
        return { part, knowsPlainIds: false, isCopy: true };
      default:
        return assertNever(event);
    }
  },
};

function decide(command: InstallationCommand, state: InstallationState): Decision<InstallationEvent> {
  switch (command.type) {
    case "NameInstallation": {
      const { part, hadOrders, at } = command.data;
      if (state !== undefined) return accept();
      return accept({ type: "InstallationNamed", data: { part, hadOrders, namedAt: at } });
    }
    case "CopyInstallation": {
      const { part, at } = command.data;
      return accept({ type: "InstallationCopied", data: { part, copiedAt: at } });
    }
    default:
      return assertNever(command);
  }
}
