import { Code, type ConnectError } from "@connectrpc/connect";
import { RejectionSchema, type Rejection } from "@hostledger/protocol";
import type { Command } from "commander";
import { refused, unreachable, type CommandFailure } from "../exit-code.ts";

/**
 * Converts a failed staff call to a sentence and exit code. A refusal contains a Rejection, whose sentence is used even
 * if its code is unknown to this version. Other errors come from the connection or from a foreign server.
 * @param command whose options name the request's fields missing in `typed`.
 * @param typed names of inputs by request field.
 */
export function staffFailure(
  error: ConnectError,
  command?: Command,
  typed?: ReadonlyMap<string, string>,
): CommandFailure {
  const [rejection] = error.findDetails(RejectionSchema);
  if (rejection !== undefined)
    return refused(
      refusalSentence(rejection, (field) => typed?.get(camelCase(field)) ?? optionOf(field, command)),
      error,
    );
  switch (error.code) {
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return refused("The instance does not accept this staff token.", error);
    case Code.Unavailable:
      return unreachable(`The instance could not be reached: ${error.rawMessage}.`, error);
    case Code.DeadlineExceeded:
      return unreachable("The instance did not answer in time; it may still have run the command.", error);
    case Code.Aborted:
    case Code.Canceled:
      return unreachable("The connection broke; the instance may still have run the command.", error);
    case Code.Unimplemented:
    case Code.Unknown:
      return unreachable(
        `The server that answered is no staff listener of this version: ${error.rawMessage}.`,
        error,
      );
    default:
      return refused(`The instance failed: ${error.rawMessage}.`, error);
  }
}

function refusalSentence({ message, fieldErrors }: Rejection, nameOf: (field: string) => string): string {
  let sentence = message;
  const others: string[] = [];
  for (const { field, messages } of fieldErrors) {
    const name = nameOf(field);
    const unsaid = messages.filter((each) => !message.includes(`${field} ${each}`));
    for (const each of messages) sentence = sentence.replace(`${field} ${each}`, `${name} ${each}`);
    if (unsaid.length > 0) others.push(`${name}: ${unsaid.join(" ")}`);
  }
  return [sentence, ...others].join(" ");
}

/** Options whose field has another name in the RPC. */
const otherOptions: Readonly<Record<string, string>> = {
  "valid-from": "from",
  types: "type",
  "public-reason": "reason",
};

/** Fields that end in "id" without being an id. */
const otherIds: ReadonlySet<string> = new Set(["vat-id"]);

function camelCase(field: string): string {
  return field.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Returns the staff's name of a request field: option, argument, or the field in plain words. */
function optionOf(field: string, command: Command | undefined): string {
  const words = field
    .replaceAll(/([a-z])([A-Z])/gu, "$1-$2")
    .replaceAll(/[_.]/gu, "-")
    .toLowerCase();
  const bare = words.replace(/-(?:cents|gb|id)$/u, "");
  const names = [words, bare, `${bare}-price`, otherOptions[words] ?? words];
  const option = command?.options.find(({ long }) => names.some((name) => long === `--${name}`));
  if (option?.long !== undefined) return option.long;
  const argument =
    command?.registeredArguments.find((each) => [words, bare, otherOptions[words]].includes(each.name())) ??
    // The id of the command's subject is called `<id>`.
    command?.registeredArguments.find(
      (each) => each.name() === "id" && words.endsWith("-id") && !otherIds.has(words),
    );
  return argument === undefined ? words.replaceAll("-", " ") : `<${argument.name()}>`;
}
