import { Code, type ConnectError } from "@connectrpc/connect";
import { RejectionSchema, type Rejection } from "@hostledger/protocol";
import { refused, unreachable, type CommandFailure } from "../exit-code.ts";

/**
 * What a failed call to the staff listener means to the shell. A refusal travels with its Rejection, which is read as it
 * came, so that a code this version does not know keeps its sentence. An error without one was made on the way: by the
 * connection, or by something that is no staff listener.
 */
export function staffFailure(error: ConnectError): CommandFailure {
  const [rejection] = error.findDetails(RejectionSchema);
  if (rejection !== undefined) return refused(refusalSentence(rejection), error);
  switch (error.code) {
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return refused("The instance does not accept this staff token.", error);
    case Code.Unavailable:
      return unreachable(`The instance could not be reached: ${error.rawMessage}.`, error);
    case Code.DeadlineExceeded:
      return unreachable(
        "The instance did not answer in time; what was asked may still have been done.",
        error,
      );
    case Code.Aborted:
    case Code.Canceled:
      return unreachable("The connection broke; what was asked may still have been done.", error);
    case Code.Unimplemented:
    case Code.Unknown:
      return unreachable(`What answered is no staff listener of this version: ${error.rawMessage}.`, error);
    default:
      return refused(`The instance failed: ${error.rawMessage}.`, error);
  }
}

function refusalSentence({ message, fieldErrors }: Rejection): string {
  const others = fieldErrors.flatMap(({ field, messages }) => {
    const unsaid = messages.filter((each) => !message.includes(`${field} ${each}`));
    return unsaid.length === 0 ? [] : [`${field}: ${unsaid.join(" ")}`];
  });
  return [message, ...others].join(" ");
}
