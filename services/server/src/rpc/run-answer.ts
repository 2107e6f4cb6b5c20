import { rejection, type ChargeRefusal } from "@hostledger/core";
import { RunSuspendedError } from "@hostledger/process-manager";
import { isRejectionCode, rejectionError } from "@hostledger/rpc";

/**
 * Waits for what a run answers. One that stops here goes on elsewhere or later: its outcome is not known yet.
 * @throws ConnectError `deadline-exceeded` then.
 */
export async function settled<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RunSuspendedError) throw rejectionError(rejection("deadline-exceeded"));
    throw error;
  }
}

/** Tells the refusal that a run remembers. */
export function throwRefusal({ code, message, requiredCents, availableCents }: ChargeRefusal): never {
  throw rejectionError(
    rejection(isRejectionCode(code) ? code : "internal", message, {
      ...(requiredCents === null ? {} : { requiredCents: BigInt(requiredCents) }),
      ...(availableCents === null ? {} : { availableCents: BigInt(availableCents) }),
    }),
  );
}
