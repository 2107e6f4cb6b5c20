import { refused, unknown, type Outcome, type RefusalReason } from "../../outcome.ts";

/** A failure of Proxmox VE and its certainty. */
export class ProxmoxError extends Error {
  override readonly name: string = "ProxmoxError";
  /** `unknown` if the request may have been carried out nevertheless. */
  readonly certainty: RefusalReason | "unknown";

  /** @param message sentence for the operator, without secrets. */
  constructor(certainty: RefusalReason | "unknown", message: string) {
    super(message);
    this.certainty = certainty;
  }

  /** Returns the error as `unknown`, because an earlier step was carried out. */
  afterChanges(): ProxmoxError {
    return new ProxmoxError("unknown", this.message);
  }
}

/** Thrown while a clone is in progress and its order is unknown: a clone has no name until its first disk is copied. */
export class BeingMadeError extends ProxmoxError {
  constructor(vmid: number) {
    super("unknown", `Machine ${String(vmid)} is being created, and its order is not known yet.`);
  }
}

/** Converts an error to an outcome. @throws other errors, which are bugs */
export function outcomeOf(error: unknown): Outcome<never> {
  if (!(error instanceof ProxmoxError)) throw error;
  const { certainty, message } = error;
  return certainty === "unknown" ? unknown(message) : refused(certainty, message);
}
