import { assertNever } from "../kernel/assert-never.ts";
import { type Command, accept, type Decider, type Decision } from "../kernel/decider.ts";
import type { InstallationEvent } from "./installation.events.ts";

/** Gives an installation its random part, once. */
export type NameInstallation = Command<
  "NameInstallation",
  { readonly part: string; readonly hadOrders: boolean }
>;

/** Gives a test copy its own random part. */
export type CopyInstallation = Command<"CopyInstallation", { readonly part: string }>;

export type InstallationCommand = NameInstallation | CopyInstallation;

export interface NamedInstallation {
  /** Six characters: a lower-case letter, then letters and digits. */
  readonly part: string;
  /** True if an earlier version made identifiers without a random part for this installation. */
  readonly knowsPlainIds: boolean;
  /** True for a test copy made by a restore. Resources at providers then belong to the original. */
  readonly isCopy: boolean;
}

/** Undefined until the installation has its random part. */
export type InstallationState = NamedInstallation | undefined;

/** Rules of an installation (stream `installation-all`): its random part never changes; only a test copy gets another. */
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
