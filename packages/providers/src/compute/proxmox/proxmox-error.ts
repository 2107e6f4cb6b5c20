import { refused, unknown, type Outcome, type RefusalReason } from "../../outcome.ts";

/** Why Proxmox VE did not do what it was asked for, and whether that is certain. */
export class ProxmoxError extends Error {
  override readonly name: string = "ProxmoxError";
  /** `unknown` where it may have been carried out all the same. */
  readonly certainty: RefusalReason | "unknown";

  /** @param message a sentence for the operator, without a secret in it. */
  constructor(certainty: RefusalReason | "unknown", message: string) {
    super(message);
    this.certainty = certainty;
  }

  /** The same, where something was carried out before it. */
  afterChanges(): ProxmoxError {
    return new ProxmoxError("unknown", this.message);
  }
}

/** A machine is being made, and does not say yet for whom: a clone has no name until its first disk is copied. */
export class BeingMadeError extends ProxmoxError {
  constructor(vmid: number) {
    super("unknown", `Machine ${String(vmid)} is being made, and does not say yet for whom.`);
  }
}

/** What a call came to that ended with an error. @throws what is none of ours: a bug */
export function outcomeOf(error: unknown): Outcome<never> {
  if (!(error instanceof ProxmoxError)) throw error;
  const { certainty, message } = error;
  return certainty === "unknown" ? unknown(message) : refused(certainty, message);
}
